import assert from "node:assert/strict";
import { test } from "node:test";
import { realClock } from "@capstan/testkit";
import { httpGet } from "./http-get.ts";

test("what a repository elsewhere names on this machine is not asked for", async () => {
  const repository = { url: "https://charts.example" };
  const limits = {
    clock: realClock,
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    maxBytes: 1000,
  };
  for (const url of ["http://127.0.0.1:9/index", "http://localhost:9/index", "http://[::1]:9/"])
    await assert.rejects(httpGet(url, { repository, ...limits }), /not followed/, url);
});
