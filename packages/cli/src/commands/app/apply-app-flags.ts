import { readFile } from "node:fs/promises";
import type { ApplicationSource, ApplicationSpec, SyncPolicy } from "@capstan/model";
import { type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import type { appFlags } from "./source-flags.ts";

export type AppFlagValues = FlagValues<typeof appFlags>;

/** A specification with what flags say; what they do not say stays (cmd/util/app.go SetAppSpecOptions). */
export async function applyAppFlags(
  spec: ApplicationSpec,
  flags: AppFlagValues,
  position = 0,
): Promise<ApplicationSpec> {
  const { "dest-server": server, "dest-name": name, "dest-namespace": namespace } = flags;
  const { server: oldServer, name: oldName, ...place } = spec.destination;
  const cluster = server || name ? compact({ server, name }) : compact({ server: oldServer, name: oldName });
  const changed: ApplicationSpec = {
    ...spec,
    ...compact({ project: flags.project, revisionHistoryLimit: flags["revision-history-limit"] }),
    destination: { ...place, ...cluster, ...compact({ namespace }) },
  };
  const policy = applyPolicyFlags(spec.syncPolicy ?? {}, flags);
  if (Object.keys(policy).length > 0) changed.syncPolicy = policy;
  else delete changed.syncPolicy;
  const sourceHydrator = applyHydratorFlags(spec.sourceHydrator, flags);
  if (sourceHydrator) return { ...changed, sourceHydrator };
  if (!spec.sources?.length)
    return { ...changed, source: await applySourceFlags(spec.source ?? { repoURL: "" }, flags) };
  const old = spec.sources[position];
  if (!old)
    throw new UsageError(`there is no source ${position + 1}; the application has ${spec.sources.length}`);
  return { ...changed, sources: spec.sources.with(position, await applySourceFlags(old, flags)) };
}

/** Undefined where no flag is about hydration: then flags are about the source. */
function applyHydratorFlags(
  old: ApplicationSpec["sourceHydrator"],
  flags: AppFlagValues,
): ApplicationSpec["sourceHydrator"] {
  const dry = compact({
    repoURL: flags["dry-source-repo"],
    targetRevision: flags["dry-source-revision"],
    path: flags["dry-source-path"],
  });
  const sync = compact({ targetBranch: flags["sync-source-branch"], path: flags["sync-source-path"] });
  const branch = flags["hydrate-to-branch"];
  if (Object.keys({ ...dry, ...sync }).length === 0 && branch === undefined) return undefined;
  const { hydrateTo, ...rest } = old ?? {};
  const next = branch === undefined ? hydrateTo : branch === "" ? undefined : { targetBranch: branch };
  return {
    ...rest,
    drySource: { repoURL: "", targetRevision: "", path: "", ...old?.drySource, ...dry },
    syncSource: { targetBranch: "", path: "", ...old?.syncSource, ...sync },
    ...(next ? { hydrateTo: next } : {}),
  };
}

function applyPolicyFlags(policy: SyncPolicy, flags: AppFlagValues): SyncPolicy {
  const {
    "sync-policy": wanted,
    "auto-prune": prune,
    "self-heal": selfHeal,
    "allow-empty": allowEmpty,
  } = flags;
  const { automated, ...rest } = policy;
  const isManual = wanted === "none" || wanted === "manual";
  const becomesAutomated = wanted !== undefined && !isManual;
  if (!automated && !becomesAutomated && (prune || selfHeal))
    throw new UsageError("--auto-prune and --self-heal need --sync-policy automated");
  const next: SyncPolicy = { ...rest };
  if (!isManual && (automated || becomesAutomated)) {
    const { enabled: _enabled, ...switches } = automated ?? {};
    next.automated = {
      ...(becomesAutomated ? switches : automated),
      ...compact({ prune, selfHeal, allowEmpty }),
    };
  }
  const options = applyOptions(policy.syncOptions ?? [], flags["sync-option"] ?? []);
  delete next.syncOptions;
  if (options.length > 0) next.syncOptions = options;
  const retry = applyRetry(policy.retry, flags);
  if (retry) next.retry = retry;
  return next;
}

/**
 * `Key=value` sets, `!Key=value` removes. Several with commas are several options, as whoever writes them means it:
 * argocd keeps the whole text as one, which has no effect.
 */
function applyOptions(options: readonly string[], given: readonly string[]): string[] {
  let next = [...options];
  for (const change of given.flatMap((text) => text.split(","))) {
    const isRemoval = change.startsWith("!");
    const option = isRemoval ? change.slice(1) : change;
    if (!/^\w+=\S+$/.test(option)) throw new UsageError(`--sync-option: "${change}" is not Name=value`);
    const key = option.slice(0, option.indexOf("="));
    next = next.filter((one) => (isRemoval ? one !== option : !one.startsWith(`${key}=`)));
    if (!isRemoval) next.push(option);
  }
  return next;
}

function applyRetry(retry: SyncPolicy["retry"], flags: AppFlagValues): SyncPolicy["retry"] {
  const limit = flags["sync-retry-limit"];
  const refresh = flags["sync-retry-refresh"];
  const backoff = compact({
    duration: flags["sync-retry-backoff-duration"],
    maxDuration: flags["sync-retry-backoff-max-duration"],
    factor: flags["sync-retry-backoff-factor"],
  });
  if (limit === undefined && refresh === undefined && Object.keys(backoff).length === 0) return retry;
  if (limit === 0) return undefined;
  const defaults = { duration: "5s", factor: 2, maxDuration: "3m0s" };
  return {
    ...retry,
    ...compact({ limit, refresh }),
    backoff: { ...defaults, ...retry?.backoff, ...backoff },
  };
}

/** One source with what flags say. */
export async function applySourceFlags(
  source: ApplicationSource,
  flags: AppFlagValues,
): Promise<ApplicationSource> {
  const { helmSource, kustomizeSource, directorySource, pluginSource } = await import("./tool-sections.ts");
  const literal = flags["values-literal-file"];
  const values = literal === undefined ? undefined : await readFile(literal, "utf8");
  return {
    ...source,
    ...compact({
      repoURL: flags.repo,
      path: flags.path,
      chart: flags["helm-chart"],
      targetRevision: flags.revision,
      ref: flags.ref,
      name: flags["source-name"],
      helm: helmSource(source.helm, flags, values),
      kustomize: kustomizeSource(source.kustomize, flags),
      directory: directorySource(source.directory, flags),
      plugin: pluginSource(source.plugin, flags),
    }),
  };
}
