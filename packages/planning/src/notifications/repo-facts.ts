import { fullNameByRepoUrl, repoUrlToHttps } from "@capstan/engine";
import type { ApplicationSource } from "@capstan/model";
import type { RevisionMetadata, SourceDescription } from "@capstan/wire";
import { LazyFacts } from "./lazy-facts.ts";

/** What functions of `repo` are told (util/notification/expression/shared). */
export interface RepoFactSource {
  commit(revision: string, signal: AbortSignal): Promise<RevisionMetadata>;
  details(signal: AbortSignal): Promise<AppDetails>;
}

export interface AppDetails {
  readonly description: Pick<SourceDescription, "sourceType" | "helm" | "kustomize">;
  /** As the application sets them: they go before those of the chart. */
  readonly overrides: readonly { readonly name: string; readonly value: string }[];
  readonly fileParameters: readonly { readonly name: string; readonly path: string }[];
}

/** What was told of a source, beside what the application sets for it. */
export function appDetails({ helm }: ApplicationSource, description: AppDetails["description"]): AppDetails {
  const { parameters = [], fileParameters = [] } = helm ?? {};
  return {
    description,
    overrides: parameters.map(({ name = "", value = "" }) => ({ name, value: String(value) })),
    fileParameters: fileParameters.map(({ name = "", path = "" }) => ({ name, path })),
  };
}

type Fact = { readonly commit: RevisionMetadata } | { readonly details: AppDetails };

/** The same, to be asked without waiting. */
export class RepoFacts {
  readonly #facts: LazyFacts<Fact>;

  constructor(source: RepoFactSource) {
    this.#facts = new LazyFacts(async (question, signal) => {
      if (question === detailsQuestion) return { details: await source.details(signal) };
      return { commit: await source.commit(question.slice(commitQuestion.length), signal) };
    });
  }

  commit(revision: string): RevisionMetadata {
    const fact = this.#facts.get(commitQuestion + revision);
    if (!("commit" in fact)) throw new Error("it is no commit");
    return fact.commit;
  }

  details(): AppDetails {
    const fact = this.#facts.get(detailsQuestion);
    if (!("details" in fact)) throw new Error("they are no details");
    return fact.details;
  }

  /** Plays what asks until it lacks nothing. Rejects with what `play` throws. */
  played<Result>(play: () => Result, signal: AbortSignal): Promise<Result> {
    return this.#facts.played(play, signal);
  }
}

const [detailsQuestion, commitQuestion] = ["details", "commit "];

/** Functions of texts alone, by their names there. */
export const textFunctions: Readonly<
  Record<"strings" | "repo", Readonly<Record<string, (texts: readonly string[]) => string>>>
> = {
  strings: {
    ReplaceAll: ([text = "", old = "", by = ""]) => text.replaceAll(old, () => by),
    ToUpper: ([text = ""]) => text.toUpperCase(),
    ToLower: ([text = ""]) => text.toLowerCase(),
  },
  repo: {
    RepoURLToHTTPS: ([url = ""]) => repoUrlToHttps(url),
    FullNameByRepoURL: ([url = ""]) => fullNameByRepoUrl(url),
    QueryEscape: ([text = ""]) => queryEscape(text),
  },
};

/** How many texts each takes. */
export const textParameters: Readonly<Record<string, number>> = { ReplaceAll: 3 };

/** Go's url.QueryEscape. */
function queryEscape(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/%20/g, "+")
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
