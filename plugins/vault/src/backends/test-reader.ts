import { systemClock } from "@capstan/flow";
import { TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import { openBackend } from "../open-backend.ts";
import { SecretReader } from "../secret-reader.ts";
import type { BackendNeeds } from "./backend.ts";

/** Reads as one render does. */
export async function reader(env: Record<string, string>, more: Partial<BackendNeeds> = {}) {
  const needs = { clock: systemClock, tokens: new TokenCache(systemClock), ...more };
  const backend = await openBackend(new Settings({}, env), needs);
  const secrets = new SecretReader(backend, AbortSignal.timeout(60_000));
  return (path: string, key: string, asked: { version?: string; isWhole?: boolean } = {}) =>
    secrets.read({ path, key, isWhole: false, ...asked });
}
