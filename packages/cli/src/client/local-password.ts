import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { type Api, ApiError } from "../api.ts";
import { ExitError } from "../command.ts";
import type { Io } from "../io.ts";

/** google.golang.org/grpc/codes */
const unauthenticated = 16;
/** The server counts failed logins for as long (ARGOCD_SESSION_FAILURE_WINDOW_SECONDS): one of ours in it is harmless. */
const rememberedMs = 5 * 60_000;

/**
 * The token for the password that `up` has left in its data folder. Where the server has refused it, it is not tried
 * again for some minutes: each try would bring everybody nearer to the limit of failed logins. `up` forgets that at
 * its start (processes/surroundings/data-folder.ts).
 */
export async function logInWith(
  { password, file }: { password: string; file: string },
  { api, io: { clock } }: { api: Pick<Api, "url" | "call">; io: Pick<Io, "clock"> },
): Promise<string> {
  const mark = `${file}.refused`;
  const sign = hash("sha256", `${api.url} ${password}`);
  const [refused, at] = (await readFile(mark, "utf8").catch(() => "")).trim().split(" ");
  if (refused === sign && clock.now() < Number(at) + rememberedMs) throw notThePassword(file);
  try {
    return (await api.call("login", { username: "admin", password })).token;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== unauthenticated) throw error;
    await writeFile(mark, `${sign} ${clock.now()}\n`, { mode: 0o600 }).catch(() => undefined);
    throw notThePassword(file);
  }
}

function notThePassword(file: string): ExitError {
  return new ExitError(
    `the server refused the password in ${file}: Secret argocd-secret of its cluster has another, or it was changed. Log in: capstan login SERVER --username admin`,
    20,
  );
}
