/** What attacks on logins through an identity provider have in common. */
import assert from "node:assert/strict";
import { eventually, type OidcProvider, startOidcProvider } from "@capstan/testkit";
import type { Attack, AttackWorld } from "./attack.ts";

const signal = (): AbortSignal => AbortSignal.timeout(100_000);
const mallory = { sub: "u-mallory", email: "mallory@example.com", groups: ["nobody"] };

export interface Stage {
  readonly world: AttackWorld;
  readonly provider: OidcProvider;
}

let last: Promise<unknown> = Promise.resolve();

/** With a provider of the operator's; one after the other, since there is one setting. */
export function withProvider(
  work: (stage: Stage) => Promise<readonly string[]>,
  options: { tls?: boolean } = {},
): Attack["play"] {
  return (world) => {
    const turn = last.then(() => play(world, work, options));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function play(
  world: AttackWorld,
  work: (stage: Stage) => Promise<readonly string[]>,
  { tls = false } = {},
): Promise<void> {
  const redirectUris = [`${world.at.url}/auth/callback`];
  await using provider = await startOidcProvider({
    tls,
    clients: [{ id: "web", secret: "the client's secret", redirectUris }],
    user: mallory,
  });
  const config = {
    name: provider.url,
    issuer: provider.url,
    clientID: "web",
    clientSecret: "the client's secret",
  };
  await configure(world, JSON.stringify(config), provider.url);
  try {
    await world.assertUnharmed(await work({ world, provider }));
  } finally {
    await configure(world, null, undefined);
  }
}

async function configure(
  world: AttackWorld,
  config: string | null,
  issuer: string | undefined,
): Promise<void> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  const body = { data: { "oidc.config": config } };
  await world.capstan.kube.patch(ref, { type: "merge", body }, { signal: signal() });
  await eventually(
    async () => {
      const { body: settings } = await world.ask("nobody", "GET /api/v1/settings");
      const text = JSON.stringify(settings);
      return (issuer === undefined ? !text.includes("oidcConfig") : text.includes(issuer)) || undefined;
    },
    { signal: signal(), describe: () => "oidc.config is not in force" },
  );
}

export const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: "manual", headers: { connection: "close", ...headers }, signal: signal() });

/** As a browser begins it, up to the return from the provider. */
export async function begin({ world }: Stage) {
  const begun = await visit(`${world.at.url}/auth/login?return_url=/applications`);
  const state = (begun.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const back = await visit(begun.headers.get("location") ?? "");
  return { state, back: new URL(back.headers.get("location") ?? "") };
}

export async function isNoLogin(answer: Response): Promise<string> {
  assert.equal(answer.status, 401);
  assert.equal(answer.headers.get("set-cookie"), null);
  return answer.text();
}
