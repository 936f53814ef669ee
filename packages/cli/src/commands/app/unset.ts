import type { ApplicationSource, PluginParameter } from "@capstan/model";
import { defineCommand, type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { confirmIfEnabled } from "../../confirm.ts";
import { appNamespaceFlag, fetchApp, readAppName } from "./app-name.ts";
import { sourcePosition } from "./source-position.ts";
import { imageName } from "./tool-sections.ts";

const unsetFlags = {
  parameter: { kind: "strings", short: "p", help: "Helm parameter", value: "NAME" },
  values: { kind: "strings", help: "Helm values file", value: "FILE" },
  "values-literal": { kind: "boolean", help: "Helm values given as text" },
  "ignore-missing-value-files": { kind: "boolean", help: "Its setting" },
  "pass-credentials": { kind: "boolean", help: "Its setting" },
  nameprefix: { kind: "boolean", help: "Kustomize name prefix" },
  namesuffix: { kind: "boolean", help: "Kustomize name suffix" },
  "kustomize-namespace": { kind: "boolean", help: "Kustomize namespace" },
  "ignore-missing-components": { kind: "boolean", help: "Its setting" },
  "kustomize-version": { kind: "boolean", help: "Kustomize version" },
  "kustomize-image": { kind: "strings", help: "Kustomize image override", value: "NAME" },
  "kustomize-replica": { kind: "strings", help: "Kustomize replica override", value: "NAME" },
  "plugin-env": { kind: "strings", help: "Variable of the plugin", value: "NAME" },
  "plugin-parameter": {
    kind: "strings",
    help: "Parameter of the plugin; name[key] removes one entry of a map",
    value: "NAME",
  },
  ref: { kind: "boolean", help: "Name for $ref" },
  "source-position": { kind: "integer", help: "Position of the source, from 1", value: "N" },
  "source-name": { kind: "string", help: "Name of the source", value: "NAME" },
  ...appNamespaceFlag,
} as const;

type Values = FlagValues<typeof unsetFlags>;

export default defineCommand({
  usage: "APPNAME",
  help: "Remove parameters of an application.",
  examples: ["capstan app unset guestbook --parameter replicas", "capstan app unset guestbook --nameprefix"],
  argument: "application",
  arity: [1, 1],
  flags: unsetFlags,
  async run({ args: [name = ""], flags, io, global, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const { spec } = await fetchApp(client, ref);
    const position = sourcePosition(spec, flags);
    const old = spec.sources?.[position] ?? spec.source;
    if (!old) throw new UsageError(`application "${ref.name}" has no source`);
    const source = unset(old, flags);
    if (JSON.stringify(source) === JSON.stringify(old))
      throw new UsageError("nothing to remove: name what is set; see capstan app unset --help");
    const changed = spec.sources?.length
      ? { ...spec, sources: spec.sources.with(position, source) }
      : { ...spec, source };
    if (!(await confirmIfEnabled(io, global, "Are you sure you want to unset the parameters?"))) {
      io.out("The command to unset the parameters has been cancelled.\n");
      return 0;
    }
    await client.call("updateApplicationSpec", { ...ref, spec: changed, validate: false });
    return 0;
  },
});

function unset(source: ApplicationSource, flags: Values): ApplicationSource {
  const { helm, kustomize, plugin, ...rest } = source;
  const next: ApplicationSource = { ...rest };
  if (flags.ref) delete next.ref;
  if (helm) next.helm = unsetHelm(helm, flags);
  if (kustomize) next.kustomize = unsetKustomize(kustomize, flags);
  if (plugin)
    next.plugin = compact({
      ...plugin,
      env: left(plugin.env, ({ name }) => name, flags["plugin-env"]),
      parameters: left(
        plugin.parameters?.flatMap((one) => withoutEntries(one, flags["plugin-parameter"])),
        ({ name }) => name,
        flags["plugin-parameter"],
      ),
    });
  return next;
}

/** `name[key]` removes one entry of a map. */
function withoutEntries(one: PluginParameter, removed: readonly string[] = []): PluginParameter[] {
  if (!one.map) return [one];
  const kept = Object.entries(one.map).filter(([key]) => !removed.includes(`${one.name}[${key}]`));
  return kept.length === 0 ? [] : [{ ...one, map: Object.fromEntries(kept) }];
}

type Helm = NonNullable<ApplicationSource["helm"]>;
type Kustomize = NonNullable<ApplicationSource["kustomize"]>;

function unsetHelm(helm: Helm, flags: Values): Helm {
  const isLiteral = flags["values-literal"] === true;
  return compact({
    ...helm,
    parameters: left(helm.parameters, ({ name }) => name, flags.parameter),
    valueFiles: left(helm.valueFiles, (file) => file, flags.values),
    values: isLiteral ? undefined : helm.values,
    valuesObject: isLiteral ? undefined : helm.valuesObject,
    ignoreMissingValueFiles: flags["ignore-missing-value-files"] ? undefined : helm.ignoreMissingValueFiles,
    passCredentials: flags["pass-credentials"] ? undefined : helm.passCredentials,
  });
}

function unsetKustomize(kustomize: Kustomize, flags: Values): Kustomize {
  return compact({
    ...kustomize,
    images: left(kustomize.images, imageName, flags["kustomize-image"]),
    replicas: left(kustomize.replicas, ({ name }) => name, flags["kustomize-replica"]),
    namePrefix: flags.nameprefix ? undefined : kustomize.namePrefix,
    nameSuffix: flags.namesuffix ? undefined : kustomize.nameSuffix,
    namespace: flags["kustomize-namespace"] ? undefined : kustomize.namespace,
    ignoreMissingComponents: flags["ignore-missing-components"]
      ? undefined
      : kustomize.ignoreMissingComponents,
    version: flags["kustomize-version"] ? undefined : kustomize.version,
  });
}

/** Entries whose names are not to go; nothing at all rather than an empty list. */
function left<E>(
  list: readonly E[] | undefined,
  nameOf: (entry: E) => string | undefined,
  removed: readonly string[] = [],
): E[] | undefined {
  const kept = (list ?? []).filter((entry) => !removed.includes(nameOf(entry) ?? ""));
  return kept.length > 0 ? kept : undefined;
}
