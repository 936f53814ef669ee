import assert from "node:assert/strict";
import { test } from "node:test";
import { isRealmOf } from "./realm.ts";

test("a password is changed for a token at the registry's own domain only", () => {
  const realms: [registry: string, realm: string, isMeant: boolean][] = [
    ["https://registry-1.docker.io", "https://auth.docker.io/token", true],
    ["https://registry.gitlab.com", "https://gitlab.com/jwt/auth", true],
    ["https://registry.shop.co.uk", "https://git.shop.co.uk/jwt", true],
    ["http://127.0.0.1:5000", "http://127.0.0.1:5000/token", true],
    ["https://registry.example.com", "http://auth.example.com/token", false],
    ["https://registry.example.com", "https://auth.example.com:8443/token", false],
    ["https://registry.example.com", "https://example.com.evil.org/token", false],
    ["https://registry.shop.co.uk", "https://evil.co.uk/token", false],
    ["http://127.0.0.1:5000", "http://127.0.0.1:5001/token", false],
    ["https://10.0.0.1", "https://11.0.0.1/token", false],
    ["https://registry", "https://other/token", false],
  ];
  for (const [registry, realm, isMeant] of realms)
    assert.equal(isRealmOf(new URL(registry), new URL(realm)), isMeant, realm);
});
