import { groups } from "./commands.ts";

/** Commands of argocd, or their flags, that are not here. */
export interface CommandGap {
  /** `admin dashboard`: also all commands that begin so; `repo add --flag`. */
  readonly names: readonly string[];
  /** Why, or what to do in their place. */
  readonly reason: string;
}

const ofGoogle = "--gcp-service-account-key-path";
const ofAzure = "--use-azure-workload-identity";
const adding = ["repo add", "repocreds add", "admin repo generate-spec"];

/** What settings say of the same: packages/model/src/settings/secret-fields.ts. */
const flagGaps: readonly CommandGap[] = [
  {
    names: adding.map((name) => `${name} ${ofGoogle}`),
    reason: "service accounts of Google are not logged in to: use a token as password",
  },
  {
    names: adding.map((name) => `${name} ${ofAzure}`),
    reason: "identities of Azure are not logged in to: use a token as password",
  },
];

export const commandGaps: readonly CommandGap[] = [
  ...groups.flatMap(({ name, program, instead = {} }) =>
    program === undefined
      ? [...Map.groupBy(Object.keys(instead), (word) => instead[word] ?? "")].map(([reason, words]) => ({
          names: words.map((word) => `${name} ${word}`),
          reason,
        }))
      : [],
  ),
  ...flagGaps,
];
