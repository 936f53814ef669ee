import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnownHost, isKnownOrigin } from "./host-rules.ts";

const rules = { listed: ["capstan.example.com", "other.example.com:8443"] };

for (const [host, isKnown] of [
  ["127.0.0.1:8080", true],
  ["[::1]:8080", true],
  ["10.2.3.4", true],
  ["localhost:8080", true],
  ["capstan.localhost", true],
  ["LOCALHOST.:8080", true],
  ["capstan.example.com", true],
  ["capstan.example.com:8080", true],
  ["other.example.com", true],
  ["evil.example", false],
  ["127.0.0.1.evil.example:8080", false],
  ["localhost.evil.example", false],
  ["xlocalhost", false],
  ["127.0.0.1@evil.example", false],
  ["evil.example#localhost", false],
  ["0x7f000001", false],
  ["2130706433", false],
  ["", false],
] as const) {
  test(`a request to "${host}" is ${isKnown ? "ours" : "refused"}`, () => {
    assert.equal(isKnownHost(host, rules), isKnown);
  });
}

for (const [origin, fetchSite, isKnown] of [
  ["http://127.0.0.1:8080", undefined, true],
  ["http://127.0.0.1:3000", undefined, false],
  ["http://127.0.0.1:3000", "same-site", false],
  ["http://localhost:8080", undefined, false],
  ["http://localhost:5173", "same-origin", true],
  ["https://capstan.example.com", undefined, true],
  ["https://capstan.example.com:8443", undefined, false],
  ["https://other.example.com:8443", undefined, true],
  ["https://evil.example", undefined, false],
  ["https://evil.example", "same-origin", false],
  ["null", undefined, false],
  ["file://", undefined, false],
] as const) {
  test(`a page of ${origin} (${fetchSite}) ${isKnown ? "may" : "may not"} call 127.0.0.1:8080`, () => {
    assert.equal(isKnownOrigin(origin, { authority: "127.0.0.1:8080", fetchSite }, rules), isKnown);
  });
}
