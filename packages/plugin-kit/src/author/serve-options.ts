import { parseArgs } from "node:util";
import type { TlsPaths } from "../server/tls-paths.ts";

export interface ServeOptions {
  /** HOST:PORT to be a service; absent: --listen, then CAPSTAN_PLUGIN_LISTEN, else a sidecar's socket. */
  listen?: string;
  /** PEM files for that address; absent: --tls-cert, --tls-key and --client-ca, else plaintext. */
  tls?: TlsPaths;
  /** File with a token that callers at that address must send; absent: --token-file. */
  tokenFile?: string;
  /** Callers at that address are asked for neither token nor certificate; absent: --anyone-may-call. */
  anyoneMayCall?: boolean;
  /** Where sidecars' sockets are; absent: --socket-dir, then ARGOCD_PLUGINSOCKFILEPATH, then Argo CD's folder. */
  socketDir?: string;
  signal?: AbortSignal;
  /** Told once, when its addresses answer. */
  onServing?(): void;
}

/** Where Argo CD looks for sockets (common/common.go DefaultPluginSockFilePath). */
export const argoSocketFolder = "/home/argocd/cmp-server/plugins";

const text = { type: "string" } as const;
const words = {
  listen: text,
  "socket-dir": text,
  "tls-cert": text,
  "tls-key": text,
  "client-ca": text,
  "token-file": text,
} as const;
const options = { ...words, "anyone-may-call": { type: "boolean" }, help: { type: "boolean" } } as const;

/** Flags that a plugin's program has by itself; others are the plugin's own. */
export function readServeFlags(args: readonly string[]): ServeOptions & { help: boolean } {
  const { values } = parseArgs({ args: [...args], options, strict: false });
  const textOf = (name: keyof typeof words): string | undefined => {
    const value = values[name];
    if (value === true || value === "") throw new Error(`--${name} needs a value`);
    return typeof value === "string" ? value : undefined;
  };
  const [certificate, key] = [textOf("tls-cert"), textOf("tls-key")];
  const [listen, socketDir, tokenFile] = [textOf("listen"), textOf("socket-dir"), textOf("token-file")];
  const clientAuthority = textOf("client-ca");
  if ((certificate ?? key ?? clientAuthority) !== undefined && !(certificate && key))
    throw new Error("--tls-cert and --tls-key belong together, and --client-ca needs both");
  const authority = clientAuthority === undefined ? {} : { clientAuthority };
  return {
    help: values.help === true || args.includes("-h"),
    ...(listen === undefined ? {} : { listen }),
    ...(socketDir === undefined ? {} : { socketDir }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(values["anyone-may-call"] === true ? { anyoneMayCall: true } : {}),
    ...(certificate && key ? { tls: { certificate, key, ...authority } } : {}),
  };
}

/** Help of the flags above. */
export const serveFlagsHelp = `Flags:
  --listen HOST:PORT   serve there, as a service (CAPSTAN_PLUGIN_LISTEN); needs one of the next three
  --token-file FILE    callers must send this token
  --client-ca FILE     callers must show a certificate of this authority
  --anyone-may-call    whoever reaches the address may run the plugin on files of his own
  --tls-cert FILE      certificate of that address; without it the address speaks no TLS
  --tls-key FILE       its key
  --socket-dir DIR     where the socket is made (ARGOCD_PLUGINSOCKFILEPATH; default ${argoSocketFolder})
  --help               show this

Environment: ARGOCD_CMP_WORKDIR, where sources are kept while the plugin runs (default the temporary folder).
`;
