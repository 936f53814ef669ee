import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError, type Failure } from "@capstan/model";
import { passingFailure } from "./passing-failure.ts";

const told: [failure: Failure, away: string | undefined][] = [
  [
    { code: "REPOSITORY_UNREACHABLE", repository: "https://git.example/web", problem: "no route" },
    "repository https://git.example/web was out of reach",
  ],
  [
    { code: "PLUGIN_UNREACHABLE", plugin: "cue", address: "10.0.0.1:9000", problem: "refused" },
    "plugin cue did not answer",
  ],
  [{ code: "UNAVAILABLE", what: "the cluster", problem: "503" }, "the cluster was not available"],
  [{ code: "TIMED_OUT", what: "helm", afterMs: 90_000 }, "helm took too long"],
  [{ code: "QUEUE_FULL", queue: "queue of renders", limit: 10 }, "queue of renders was full"],
  [{ code: "PLUGIN_MISSING", plugin: "cue" }, undefined],
];

for (const [failure, away] of told)
  test(`${failure.code}: ${away ?? "does not pass by itself"}`, () => {
    assert.equal(passingFailure(new CapstanError(failure)), away);
  });
