import assert from "node:assert/strict";
import { test } from "node:test";
import { unchanging } from "../follow-files.ts";
import { checkCallers } from "./check-callers.ts";

const pair = { certificate: "", key: "" };

test("an address at which nobody is asked who he is, is refused", () => {
  for (const open of [{}, { tls: unchanging(pair) }])
    assert.throws(() => checkCallers(":8081", open), /:8081.*--token-file.*--client-ca.*--anyone-may-call/);
});

test("a token, an authority of callers, or the operator's word permits it", () => {
  checkCallers(":8081", { token: unchanging("token") });
  checkCallers(":8081", { tls: unchanging({ ...pair, clientAuthority: "ca" }) });
  checkCallers(":8081", { anyoneMayCall: true });
});
