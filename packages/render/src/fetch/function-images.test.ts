import assert from "node:assert/strict";
import { test } from "node:test";
import { failsWith, noSignal, realClock } from "@capstan/testkit/render-world";
import { functionImages } from "./function-images.ts";

const wrong = [
  "resize",
  "host.example.com/",
  "host.example.com/team/../secret:v1",
  "host.example.com/./x",
  "host.example.com//x",
  "host.example.com/x:v1/../y",
  "host.example.com/x?y=z",
  "host.example.com/x@sha256:0a",
  "user@host.example.com/x",
];
for (const image of wrong)
  test(`${image} names no image`, async () => {
    const around = { signal: noSignal, clock: realClock, env: {} };
    await assert.rejects(
      functionImages("/nowhere")(image, around, async () => undefined),
      failsWith({ code: "FAILED_PRECONDITION" }, /an image is written HOST\/NAME/),
    );
  });
