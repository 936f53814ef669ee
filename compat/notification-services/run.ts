/**
 * `node compat/notification-services/run.ts [--record] [--only TEXT]`: every case sent by notifications-engine's own
 * services (testenv group notifications) and by ours: the same requests, and a failure of both or of none. --record
 * writes what the real ones ask to recorded/, which same-requests.test.ts holds ours against where they are not there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { lacking } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { type Outcome, readCases, withoutDiffering } from "./cases.ts";
import { playOurs, RealServices } from "./play.ts";
import { Recorder } from "./recorder.ts";

const { values } = programFlags({
  options: { record: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const missing = lacking("notifications");
if (missing !== false) {
  console.error(`compat/notification-services: ${missing}`);
  process.exit(1);
}

const file = join(import.meta.dirname, "recorded.json");
const recorded: Record<string, Outcome> = values.only === "" ? {} : JSON.parse(readFileSync(file, "utf8"));
await using recorder = await Recorder.start();
await using real = await RealServices.start(recorder);
let [agreeing, disagreeing] = [0, 0];
for (const one of readCases()) {
  const title = `${one.type}: ${one.name}`;
  if (!title.includes(values.only)) continue;
  const theirs = await real.play(one);
  recorded[title] = theirs;
  const ours = await playOurs(one, recorder);
  const [wanted, got] = [theirs, ours].map((outcome) => withoutDiffering(outcome, one.differs));
  if (isDeepStrictEqual(wanted, got)) {
    agreeing += 1;
    continue;
  }
  disagreeing += 1;
  console.log(`FAILED ${title}\n  real: ${JSON.stringify(wanted)}\n  ours: ${JSON.stringify(got)}`);
}
if (values.record) writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
console.log(`compat/notification-services: ${agreeing} cases agree, ${disagreeing} disagree`);
process.exitCode = disagreeing > 0 || agreeing === 0 ? 1 : 0;
