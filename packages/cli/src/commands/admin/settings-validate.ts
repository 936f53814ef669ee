import { isRecord } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import { defineCommand, UsageError } from "../../command.ts";
import { type GivenSettings, readGivenSettings, settingsFlags } from "./settings-source.ts";

type Group = "accounts" | "general" | "kustomize" | "resource-overrides";

/** What is valid is summed up in argocd's words (cmd/argocd/commands/admin/settings.go validatorsByGroup). */
const summaries: Readonly<Record<Group, (settings: GivenSettings) => string>> = {
  accounts: ({ general }) => `${accountsIn(general.raw).size} accounts`,
  general: ({ general }) => {
    const provider = general.raw["dex.config"] ? "Dex" : general.oidc ? "OIDC" : undefined;
    if (provider === undefined) return "SSO is not configured";
    return `${provider} is configured${general.url ? "" : " ('url' field is missing)"}`;
  },
  kustomize: ({ general }) => {
    const versions = Object.keys(general.kustomizeVersions).length;
    return `${general.kustomizeBuildOptions || "default options"}${versions > 0 ? ` (${versions} versions)` : ""}`;
  },
  "resource-overrides": ({ general }) => `${overriddenKinds(general).size} resource overrides`,
};

const groups = Object.keys(summaries).sort() as Group[];

export default defineCommand({
  usage: "",
  help: "Check argocd-cm and argocd-secret, group by group. The exit code is 0 for what is wrong too, as argocd's.",
  examples: [
    "capstan admin settings validate --argocd-cm-path argocd-cm.yaml",
    "capstan admin settings validate --load-cluster-settings --group accounts",
  ],
  notes: "What is valid and not honoured: capstan admin settings report.\n",
  argument: "none",
  arity: [0, 0],
  flags: {
    ...settingsFlags,
    group: {
      kind: "strings",
      help: `Only this group: ${groups.join(", ")}`,
      value: "GROUP",
      byDefault: "all",
    },
  },
  async run({ flags, io }) {
    const unknown = flags.group?.find((one) => !groups.some((group) => group === one));
    if (unknown) throw new UsageError(`--group: "${unknown}" is none of ${groups.join(", ")}`);
    const settings = await readGivenSettings(flags, io);
    const wanted = groups.filter((group) => (flags.group ?? groups).includes(group));
    const texts = wanted.map((group) => {
      const problems = settings.problems.filter(({ field }) => groupOf(field) === group);
      const said = problems.map(({ where, field, problem }) => `${where}: ${field} ${problem}\n`).join("");
      return problems.length > 0 ? `❌ ${group}\n${said}` : `✅ ${group}\n${summaries[group](settings)}\n`;
    });
    io.out(texts.join("\n"));
    return 0;
  },
});

function groupOf(field: string): Group {
  const [first = ""] = field.split(".");
  if (first === "accounts") return "accounts";
  if (first === "kustomize") return "kustomize";
  return field.startsWith("resource.customizations") ? "resource-overrides" : "general";
}

/** The account admin needs no key. */
function accountsIn(raw: GivenSettings["general"]["raw"]): Set<string> {
  const names = Object.keys(raw).flatMap((key) => /^accounts\.([^.]+)(\.enabled)?$/.exec(key)?.[1] ?? []);
  return new Set(["admin", ...names]);
}

/** `resource.customizations` with its split keys; what is ignored of status counts as an override too. */
function overriddenKinds({ raw, ignoreResourceStatusField }: GivenSettings["general"]): Set<string> {
  const split = Object.keys(raw).flatMap((key) => {
    const kind = /^resource\.customizations\.[^.]+\.(.+)$/.exec(key)?.[1];
    return kind === undefined ? [] : kind === "all" ? "*/*" : kind.replace(/_(?=[^_]*$)/, "/");
  });
  const whole = raw["resource.customizations"];
  const kinds = whole === undefined ? undefined : parseYaml(whole, { file: "resource.customizations" });
  const ofStatus = { all: ["*/*"], crd: ["apiextensions.k8s.io/CustomResourceDefinition"], none: [] };
  return new Set([
    ...split,
    ...(isRecord(kinds) ? Object.keys(kinds) : []),
    ...ofStatus[ignoreResourceStatusField],
  ]);
}
