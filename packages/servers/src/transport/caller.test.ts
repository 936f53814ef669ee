import assert from "node:assert/strict";
import { test } from "node:test";
import { TrustedProxies } from "./caller.ts";

const proxies = new TrustedProxies(["10.0.0.0/8", "::1"]);
const from = (remoteAddress: string, headers: Record<string, string>) =>
  proxies.callerOf({ remoteAddress, headers: { host: "127.0.0.1:8080", ...headers } });

test("headers of somebody who is no trusted proxy say nothing", () => {
  const headers = {
    "x-forwarded-for": "1.2.3.4",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
  };
  assert.deepEqual(from("192.0.2.7", headers), {
    address: "192.0.2.7",
    authority: "127.0.0.1:8080",
    isSecure: false,
  });
});

test("behind trusted proxies the caller is the last address that is none of them", () => {
  const headers = {
    "x-forwarded-for": "6.6.6.6, 203.0.113.5, 10.9.9.9",
    "x-forwarded-host": "capstan.example.com",
    "x-forwarded-proto": "https",
  };
  const expected = { address: "203.0.113.5", authority: "capstan.example.com", isSecure: true };
  assert.deepEqual(from("::ffff:10.1.1.1", headers), expected);
  assert.equal(from("::1", { "x-forwarded-for": "nonsense" }).address, "::1");
  assert.equal(from("::1", { "x-forwarded-for": "[2001:db8::1]:443" }).address, "2001:db8::1");
});

test("what is no address is named", () => {
  assert.throws(
    () => new TrustedProxies(["proxy.example"]),
    /"proxy.example" is neither an address nor a range/,
  );
  assert.throws(() => new TrustedProxies(["10.0.0.0/64"]), RangeError);
});
