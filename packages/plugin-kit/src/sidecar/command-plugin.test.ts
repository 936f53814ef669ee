import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@capstan/flow";
import { commandPlugin } from "./command-plugin.ts";

async function notesOf(parameters: object): Promise<readonly string[]> {
  const config = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ConfigManagementPlugin" as const,
    metadata: { name: "p" },
    spec: { generate: { command: ["cat", "a.yaml"] }, parameters },
  };
  const plugin = commandPlugin(config, {
    clock: systemClock,
    env: {},
    maxOutputBytes: 1_000,
    maxStderrBytes: 1_000,
    isolation: { whyNoSandbox: "a test has none", isRoot: false },
    starter: {
      start: () => {
        throw new Error("to describe it starts nothing");
      },
    },
  });
  const { notes } = await plugin.describe();
  return notes ?? [];
}

test("describe says whether defaults of parameters reach the commands, where there are any", async () => {
  const announced = [{ name: "colour", string: "green" }];
  const told = (notes: readonly string[]) => notes.filter((note) => note.includes("default")).join();
  assert.match(told(await notesOf({ static: announced })), /do not get the defaults.*passDefaults: true/);
  assert.match(told(await notesOf({ static: announced, passDefaults: true })), /commands get the defaults/);
  assert.equal(told(await notesOf({ static: [{ name: "colour" }] })), "");
});
