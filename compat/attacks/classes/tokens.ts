/** Tokens that nobody issued, or issued for something else. */
import assert from "node:assert/strict";
import { SignJWT, UnsecuredJWT } from "jose";
import type { Attack, AttackWorld } from "../attack.ts";

type Claims = Readonly<Record<string, unknown>>;

const now = (): number => Math.floor(Date.now() / 1000);
const admin = (): Claims => ({ iss: "argocd", sub: "admin:login", jti: "made-up", iat: now(), nbf: now() });

/** A token with these claims must be refused, whoever signed it. */
function isRefused(makeToken: (world: AttackWorld) => Promise<string>): Attack["play"] {
  return async (world) => {
    const token = await makeToken(world);
    const answers = [
      await world.ask("nobody", "GET /api/v1/applications", { token }),
      await world.ask("nobody", "GET /api/v1/applications", { headers: { cookie: `argocd.token=${token}` } }),
    ];
    for (const { status } of answers) assert.equal(status, 401);
    await world.assertUnharmed(answers.map(({ body }) => JSON.stringify(body)));
  };
}

/** Signed with the installation's own key: what matters is what the token says. */
async function signed({ capstan }: AttackWorld, claims: Claims): Promise<string> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
  const found = await capstan.kube.get(ref, AbortSignal.timeout(60_000));
  const data = found?.data;
  const isData = typeof data === "object" && data !== null && "server.secretkey" in data;
  const key = Buffer.from(isData ? String(data["server.secretkey"]) : "", "base64");
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(key);
}

const guess = (key: string): Promise<string> =>
  new SignJWT({ ...admin() }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(key));

const heldBy =
  "tokens are HS256 with the installation's key, of issuer argocd, unexpired, unrevoked, of an account that is enabled";

export const attacks: readonly Attack[] = [
  {
    id: "tokens/without-signature",
    threat: "Somebody without an account sends a token with alg none",
    heldBy,
    advisories: ["CVE-2022-29165"],
    play: isRefused(async () => new UnsecuredJWT({ ...admin() }).encode()),
  },
  {
    id: "tokens/signed-by-a-guess",
    threat: "Somebody without an account signs a token with a likely key",
    heldBy,
    advisories: ["CVE-2022-29165"],
    play: isRefused(() => guess("argocd")),
  },
  {
    id: "tokens/of-another-issuer",
    threat: "A token of another issuer or audience, signed with the same key, is used here",
    heldBy,
    advisories: ["CVE-2023-22482"],
    play: isRefused((world) => signed(world, { ...admin(), iss: "elsewhere", aud: "elsewhere" })),
  },
  {
    id: "tokens/expired",
    threat: "A token is used after its end",
    heldBy,
    play: isRefused((world) => signed(world, { ...admin(), exp: now() - 60 })),
  },
  {
    id: "tokens/not-yet-valid",
    threat: "A token is used before its beginning",
    heldBy,
    play: isRefused((world) => signed(world, { ...admin(), nbf: now() + 3600, iat: now() + 3600 })),
  },
  {
    id: "tokens/of-no-account",
    threat: "A token names an account that is not, or no longer, there",
    heldBy,
    play: isRefused((world) => signed(world, { ...admin(), sub: "mallory:login" })),
  },
  {
    id: "tokens/of-a-project-role-that-is-not-there",
    threat: "A token names a role of a project that issued no such token",
    heldBy,
    play: isRefused((world) => signed(world, { ...admin(), sub: "proj:team:admin" })),
  },
];
