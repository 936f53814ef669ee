import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outcome, readCases, withoutDiffering } from "./cases.ts";
import { playOurs } from "./play.ts";
import recorded from "./recorded.json" with { type: "json" };
import { Recorder } from "./recorder.ts";

const outcomes: Readonly<Record<string, Outcome | undefined>> = recorded;
const cases = readCases();

for (const type of new Set(cases.map((one) => one.type)))
  test(`${type}: what is asked is what Argo CD asks`, async () => {
    await using recorder = await Recorder.start();
    for (const one of cases.filter((other) => other.type === type)) {
      const title = `${one.type}: ${one.name}`;
      const wanted = outcomes[title];
      assert.ok(wanted, `${title}: play compat/notification-services/run.ts --record`);
      const problems: string[] = [];
      const ours = await playOurs(one, recorder, problems);
      const [expected, got] = [wanted, ours].map((outcome) => withoutDiffering(outcome, one.differs));
      assert.deepEqual(got, expected, `${title}\n${problems.join("\n")}`);
    }
  });
