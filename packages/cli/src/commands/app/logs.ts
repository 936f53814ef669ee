import { defineCommand } from "../../command.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Print the logs of an application's Pods, in order of time.",
  examples: [
    "capstan app logs guestbook -f",
    "capstan app logs guestbook --kind Deployment --name web --tail 100",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    container: { kind: "string", short: "c", help: "Container", value: "NAME" },
    follow: { kind: "boolean", short: "f", help: "Go on as lines come" },
    tail: { kind: "integer", help: "Only the last lines", value: "N" },
    "since-seconds": { kind: "integer", help: "Only of the last seconds", value: "N" },
    "until-time": { kind: "string", help: "Only until this time (RFC 3339)", value: "TIME" },
    filter: { kind: "string", help: "Only lines with this text; ! in front: without it", value: "TEXT" },
    "match-case": { kind: "boolean", short: "m", help: "Filter with case" },
    previous: { kind: "boolean", short: "p", help: "Of the container that ran before" },
    group: { kind: "string", help: "API group of the resource", value: "GROUP" },
    kind: { kind: "string", help: "Kind of the resource", value: "KIND" },
    name: { kind: "string", help: "Name of the resource", value: "NAME" },
    namespace: { kind: "string", help: "Namespace of the resource", value: "NAMESPACE" },
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const group =
      flags.group ??
      (flags.kind && /^(Deployment|StatefulSet|DaemonSet|ReplicaSet)$/.test(flags.kind) ? "apps" : undefined);
    const query = {
      ...ref,
      container: flags.container,
      follow: flags.follow,
      tailLines: flags.tail,
      sinceSeconds: flags["since-seconds"],
      untilTime: flags["until-time"],
      filter: flags.filter,
      matchCase: flags["match-case"],
      previous: flags.previous,
      group,
      kind: flags.kind,
      resourceName: flags.name,
      namespace: flags.namespace,
    };
    await onApp(client, ref, async () => {
      for await (const { content, podName, last } of await client.stream("readLogs", query, io.signal)) {
        if (!last) io.out(`${podName ? `${podName} ` : ""}${content.replace(colours, "")}\n`);
      }
    });
    return 0;
  },
});

/** Programs colour what they log; as text the sequences would only be in the way. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences begin with one
const colours = /\x1b\[[\d;]{0,32}m/g;
