import assert from "node:assert/strict";
import { test } from "node:test";
import { isInnerHost } from "./inner-addresses.ts";

test("this machine and metadata services are known in every spelling", () => {
  for (const url of [
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://localhost./",
    "http://169.254.169.254/latest/",
    "http://[fe80::1]/",
    "http://0/",
  ])
    assert.ok(isInnerHost(new URL(url)), url);
  for (const url of ["http://10.0.0.1/", "https://example.com/", "http://[2001:db8::1]/"])
    assert.ok(!isInnerHost(new URL(url)), url);
});
