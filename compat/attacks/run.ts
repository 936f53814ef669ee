/**
 * Every attack of `classes/` against a running `capstan up`: `npm run test:real -- attacks`, or some of them with
 * `npx node --test-name-pattern=files/ compat/attacks/run.ts [--short | --mode root,user…] [--form grpc|web]`
 * (modes.ts; --short: the first mode only, without what is slow; --form: requests by gRPC or gRPC-web where they can).
 */
import { after, before, describe, test } from "node:test";
import { programFlags } from "@capstan/testkit/program-flags";
import type { AttackWorld } from "./attack.ts";
import { modes } from "./modes.ts";
import { readAttacks } from "./read-attacks.ts";
import { startAttackWorld } from "./world.ts";

const { values: flags } = programFlags({
  options: { short: { type: "boolean" }, mode: { type: "string" }, form: { type: "string" } },
});
const { form = "rest" } = flags;
if (form !== "rest" && form !== "grpc" && form !== "web")
  throw new Error(`--form ${form}: it is one of rest, grpc, web`);
const asked = flags.mode?.split(",");
const unknown = asked?.find((name) => !modes.some((mode) => mode.name === name));
if (unknown !== undefined)
  throw new Error(`--mode ${unknown}: it is one of ${modes.map(({ name }) => name).join(", ")}`);
const chosen = modes.filter(({ name }, index) =>
  asked ? asked.includes(name) : !flags.short || index === 0,
);
const attacks = (await readAttacks()).filter(({ slow }) => !flags.short || !slow);

for (const mode of chosen)
  describe(`as ${mode.name}, by ${form}`, { concurrency: 4 }, () => {
    let world: AttackWorld;
    before(async () => {
      world = await startAttackWorld({ ...mode, form });
    });
    after(() => world?.[Symbol.asyncDispose]());
    for (const { id, threat, lacks, play } of attacks)
      test(`${id}: ${threat}`, async (t) => {
        const reason = lacks?.(world) ?? false;
        if (reason !== false) return t.skip(reason);
        await play(world);
      });
  });
