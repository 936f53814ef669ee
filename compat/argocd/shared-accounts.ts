/** Accounts of a cluster that the real argocd-server and Capstan look at: both know their passwords. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type EmbeddedClusterProcess, eventually } from "@capstan/testkit";

const signal = () => AbortSignal.timeout(60_000);
const password = "a long password of a person";
const names = ["ada", "viewer", "nobody"] as const;

export type AccountName = (typeof names)[number];

/** In argocd-cm. */
export const accountSettings = Object.fromEntries(names.map((name) => [`accounts.${name}`, "login"]));

/** Capstan on that cluster, which answers, and the password of its admin. */
export async function openOwn({ dataDir }: EmbeddedClusterProcess): Promise<{ url: string; admin: string }> {
  const { url }: { url: string } = JSON.parse(await readFile(join(dataDir, "status.json"), "utf8"));
  const admin = (await readFile(join(dataDir, "admin-password"), "utf8")).trim();
  await logIn(url, "admin", admin);
  return { url, admin };
}

/** Gives each account a password, once the settings name it, and logs it in. */
export async function tokensOfAccounts(own: {
  url: string;
  admin: string;
}): Promise<Map<AccountName, string>> {
  const token = await logIn(own.url, "admin", own.admin);
  const tokens = new Map<AccountName, string>();
  for (const name of names) {
    await eventually(() => setPassword(name, { ...own, token }), {
      signal: signal(),
      describe: () => `${name} gets no password`,
    });
    tokens.set(name, await logIn(own.url, name, password));
  }
  return tokens;
}

async function logIn(url: string, username: string, secret: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password: secret }),
    signal: signal(),
  });
  const { token } = JSON.parse(await answer.text());
  assert.equal(typeof token, "string", username);
  return token;
}

async function setPassword(
  name: AccountName,
  { url, admin, token }: { url: string; admin: string; token: string },
): Promise<true | undefined> {
  const answer = await fetch(`${url}/api/v1/account/password`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ name, currentPassword: admin, newPassword: password }),
    signal: signal(),
  });
  await answer.body?.cancel();
  return answer.status === 200 || undefined;
}
