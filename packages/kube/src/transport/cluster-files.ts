import type { Clock } from "@capstan/flow";
import { CapstanError, messageOf } from "@capstan/model";
import type { ClusterConfig } from "./cluster-config.ts";
import { readSmallFile } from "./read-small-file.ts";

/** What a connection is made with. */
export interface TlsKeys {
  ca?: string;
  cert?: string;
  key?: string;
}

export interface Identity extends TlsKeys {
  token?: string;
}

export interface ClusterFiles {
  current(): Promise<Identity>;
  /** The next one to ask reads the files. */
  forget(): void;
}

/** As client-go's cachingTokenSource has it. */
const keptMs = 60_000;

const parts = [
  { part: "ca", file: "caFile", data: "caData" },
  { part: "cert", file: "certFile", data: "certData" },
  { part: "key", file: "keyFile", data: "keyData" },
  { part: "token", file: "bearerTokenFile", data: "bearerToken" },
] as const;

/** Who we are, with the files that say so read again every minute: tokens and certificates are replaced in place. */
export function clusterFiles(config: ClusterConfig, clock: Clock): ClusterFiles {
  let held: { at: number; identity: Promise<Identity> } | undefined;
  let isStale = false;
  return {
    current() {
      const isFresh = held && !isStale && clock.now() - held.at <= keptMs;
      if (held && isFresh) return held.identity;
      isStale = false;
      held = { at: clock.now(), identity: readIdentity(config, held?.identity) };
      return held.identity;
    },
    forget() {
      isStale = true;
    },
  };
}

/** A file that cannot be read just now counts as it was. */
async function readIdentity(config: ClusterConfig, before: Promise<Identity> | undefined): Promise<Identity> {
  const known = await before?.catch(() => undefined);
  const identity: Identity = {};
  for (const { part, file, data } of parts) {
    const path = config[file];
    const text =
      path && (part === "token" || !config[data]) ? await readPart(path, known?.[part]) : config[data];
    if (text) identity[part] = part === "token" ? text.trim() : text;
  }
  return identity;

  async function readPart(path: string, kept: string | undefined): Promise<string> {
    try {
      return await readSmallFile(path);
    } catch (error) {
      if (kept !== undefined) return kept;
      const what = `cluster ${config.server}`;
      throw new CapstanError({ code: "UNAVAILABLE", what, problem: messageOf(error) }, error);
    }
  }
}
