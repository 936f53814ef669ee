import assert from "node:assert/strict";
import { test } from "node:test";
import { serviceSurroundings } from "./service-surroundings.ts";

test("services get the process's identities and proxies, and nothing else of its environment", () => {
  const env = {
    AWS_REGION: "r",
    GOOGLE_APPLICATION_CREDENTIALS: "f",
    CAPSTAN_ADMIN_PASSWORD: "p",
    PATH: "/bin",
  };
  assert.deepEqual(serviceSurroundings(env), {
    environment: { AWS_REGION: "r", GOOGLE_APPLICATION_CREDENTIALS: "f" },
  });
  assert.deepEqual(serviceSurroundings({ HTTPS_PROXY: "http://p:1", no_proxy: ".corp", http_proxy: "" }), {
    environment: {},
    proxy: { https_proxy: "http://p:1", no_proxy: "localhost,127.0.0.1,::1,.corp" },
  });
});
