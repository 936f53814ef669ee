import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { clientVersion } from "../../version.ts";

export default defineCommand({
  usage: "",
  help: "Print the versions of this program and of the server.",
  argument: "none",
  arity: [0, 0],
  flags: {
    client: { kind: "boolean", help: "Only of this program; asks no server" },
    short: { kind: "boolean", help: "Only the version numbers" },
    output: outputFlag(["wide", "short", "json", "yaml"]),
  },
  async run({ flags, io, api }) {
    const isShort = flags.short === true || flags.output === "short";
    const client = { Version: await clientVersion(), Platform: `${process.platform}/${process.arch}` };
    const server = flags.client ? undefined : await (await api()).call("getVersion", {});
    if (isObjectFormat(flags.output)) {
      const shown = isShort
        ? {
            client: { capstan: client.Version },
            ...(server ? { server: { "capstan-server": server.Version } } : {}),
          }
        : { client, ...(server ? { server } : {}) };
      await printObject(io, flags.output, shown);
      return 0;
    }
    io.out(versionLines("capstan", client, isShort));
    if (server) io.out(versionLines("capstan-server", server, isShort));
    return 0;
  },
});

/** In argocd's order and words (cmd/argocd/commands/version.go printServerVersion). */
const facts = {
  BuildDate: "BuildDate",
  GitCommit: "GitCommit",
  GitTreeState: "GitTreeState",
  GitTag: "GitTag",
  Platform: "Platform",
  KustomizeVersion: "Kustomize Version",
  HelmVersion: "Helm Version",
  KubectlVersion: "Kubectl Version",
  JsonnetVersion: "Jsonnet Version",
} as const;

function versionLines(name: string, version: { Version: string } & object, isShort: boolean): string {
  const said: Readonly<Record<string, unknown>> = { ...version };
  const lines = Object.entries(facts).flatMap(([field, label]) =>
    said[field] && !isShort ? [`  ${label}: ${String(said[field])}\n`] : [],
  );
  return `${name}: ${version.Version}\n${lines.join("")}`;
}
