import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { defineCommand, UsageError } from "../../command.ts";
import { findPluginFile, isProgram } from "./plugin-file.ts";

const file = { kind: "string", value: "FILE" } as const;

export default defineCommand({
  usage: "[DIR]",
  help: "Serve a plugin's folder as it is, at a sidecar's socket or at an address, until Ctrl-C.",
  examples: [
    "capstan plugin serve my-plugin --socket-dir sockets",
    "capstan plugin serve my-plugin --listen 127.0.0.1:8081 --token-file token",
  ],
  notes: "It is served as `node FOLDER/plugin.js` serves what `capstan plugin build` makes of it.\n",
  argument: "file",
  arity: [0, 1],
  standsAlone: true,
  ownSignals: true,
  flags: {
    listen: {
      kind: "string",
      value: "HOST:PORT",
      help: "Serve there, as a service; needs one of the next three",
      env: "CAPSTAN_PLUGIN_LISTEN",
    },
    "token-file": { ...file, help: "Callers must send this token" },
    "client-ca": { ...file, help: "Callers must show a certificate of this authority" },
    "anyone-may-call": {
      kind: "boolean",
      help: "Whoever reaches the address may run the plugin on files of his own",
    },
    "tls-cert": { ...file, help: "Certificate of that address; without it the address speaks no TLS" },
    "tls-key": { ...file, help: "Its key" },
    "socket-dir": {
      kind: "string",
      value: "DIR",
      help: "Where the socket is made",
      env: "ARGOCD_PLUGINSOCKFILEPATH",
      byDefault: "/home/argocd/cmp-server/plugins",
    },
  },
  async run({ args: [directory = "."], flags }) {
    const found = findPluginFile(resolve(directory), directory);
    const { "tls-cert": certificate, "tls-key": key, "client-ca": clientAuthority } = flags;
    if ((certificate ?? key ?? clientAuthority) !== undefined && !(certificate && key))
      throw new UsageError("--tls-cert and --tls-key belong together, and --client-ca needs both");
    const options = {
      ...(flags.listen === undefined ? {} : { listen: flags.listen }),
      ...(flags["socket-dir"] === undefined ? {} : { socketDir: resolve(flags["socket-dir"]) }),
      ...(flags["token-file"] === undefined ? {} : { tokenFile: flags["token-file"] }),
      ...(flags["anyone-may-call"] === true ? { anyoneMayCall: true } : {}),
      ...(certificate && key
        ? { tls: { certificate, key, ...(clientAuthority === undefined ? {} : { clientAuthority }) } }
        : {}),
    };
    const { serveFolder, serveProgram } = await import("@capstan/plugin-kit/serve");
    if (isProgram(found)) await serveProgram(await realpath(found), options);
    else await serveFolder(await realpath(resolve(directory)), options);
    return 0;
  },
});
