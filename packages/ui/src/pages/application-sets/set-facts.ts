import type { ApplicationSet } from "@capstan/model";
import type { StateLook } from "../../primitives/states.ts";
import { heldDeletions } from "../../queries/application-sets.ts";

type Look = (typeof looks)[keyof typeof looks];

export interface SetFacts {
  readonly name: string;
  readonly namespace: string;
  readonly look: Look;
  /** What is wrong, if anything is. */
  readonly problem: string | undefined;
  readonly project: string;
  /** Their kinds, once each. */
  readonly generators: string;
  readonly count: number;
  readonly createdAt: string | undefined;
}

const looks = {
  failed: { glyph: "cross", word: "Failed", tone: "bad" },
  held: { glyph: "pause", word: "Deletions held", tone: "warn" },
  current: { glyph: "check", word: "Up to date", tone: "good" },
  unknown: { glyph: "question", word: "Not looked at yet", tone: "void" },
} as const satisfies Record<string, StateLook>;

export function setFacts({ metadata, spec, status }: ApplicationSet): SetFacts {
  const { conditions = [], resources = [], resourcesCount } = status ?? {};
  const find = (type: string) => conditions.find((one) => one.type === type && one.status === "True");
  const failed = find("ErrorOccurred");
  const held = heldDeletions(conditions);
  const kinds = spec.generators.flatMap((one) => Object.keys(one).filter((kind) => kind !== "selector"));
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    look: failed
      ? looks.failed
      : held
        ? looks.held
        : find("ResourcesUpToDate")
          ? looks.current
          : looks.unknown,
    problem: failed?.message ?? held?.message,
    project: spec.template.spec.project || "default",
    generators: [...new Set(kinds)].join(", "),
    count: resourcesCount ?? resources.length,
    createdAt: metadata.creationTimestamp ?? undefined,
  };
}

/** Worst first. */
export function setRank({ look }: Pick<SetFacts, "look">): number {
  return [looks.failed, looks.held, looks.unknown, looks.current].indexOf(look);
}
