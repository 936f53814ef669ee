import { sourcesOf } from "@capstan/model";
import type { DescribedStage, SourceDescription } from "@capstan/wire";
import type { Api } from "../api.ts";
import { fetchApp, readAppName } from "../commands/app/app-name.ts";
import { describedSources } from "../commands/app/described-sources.ts";
import type { Candidate } from "./complete.ts";

/** Flags whose values only the application that is named can tell. */
export const applicationFlags: Readonly<Record<string, (command: string, facts: Facts) => Candidate[]>> = {
  "plugin-parameter": (command, facts) =>
    command === "app unset" ? setParameters(facts) : parameters(facts),
  "plugin-env": (command, { app }) =>
    command === "app unset"
      ? sourcesOf(app).flatMap(({ plugin }) => (plugin?.env ?? []).map(({ name = "" }) => ({ value: name })))
      : [],
  "helm-set": (_command, { descriptions }) =>
    descriptions
      .flatMap(({ helm }) => helm?.parameters ?? [])
      .map(({ name, value }) => ({ value: `${name}=`, help: value })),
  stage: (_command, { descriptions }) =>
    descriptions.flatMap(({ stages }) => stages.map(({ name, plugin }) => ({ value: name, help: plugin }))),
  "source-position": (_command, { app }) =>
    (app.spec.sources ?? []).map((source, index) => ({
      value: String(index + 1),
      help: source.name ?? source.chart ?? source.path ?? source.ref ?? "",
    })),
  "source-name": (_command, { app }) =>
    sourcesOf(app).flatMap(({ name, path = "" }) => (name ? [{ value: name, help: path }] : [])),
};

interface Facts {
  app: Awaited<ReturnType<typeof fetchApp>>;
  descriptions: readonly SourceDescription[];
}

export async function applicationFacts(api: Api, name: string): Promise<Facts> {
  const ref = readAppName(name, undefined);
  const app = await fetchApp(api, ref);
  const described = await describedSources(api, ref, app);
  return { app, descriptions: described.flatMap(({ description }) => description ?? []) };
}

function parameters({ descriptions }: Facts): Candidate[] {
  return descriptions.flatMap(({ stages, helm }) =>
    helm ? [] : stages.flatMap((stage) => announced(stage, stages.length > 1 ? `${stage.name}/` : "")),
  );
}

/** As they are written on the command line, up to where the value begins. */
function announced({ announced: all }: DescribedStage, prefix: string): Candidate[] {
  return all.flatMap(({ name = "", collectionType, tooltip, title, string, choices = [] }) => {
    const ending = collectionType === "array" ? "[]=" : collectionType === "map" ? "[" : "=";
    const help = tooltip ?? title ?? string ?? "";
    const values = choices.length === 0 ? [""] : choices;
    return values.map((value) => ({ value: prefix + name + ending + value, help }));
  });
}

function setParameters({ app }: Facts): Candidate[] {
  return sourcesOf(app).flatMap(({ plugin }) =>
    (plugin?.parameters ?? []).flatMap(({ name = "", map = {} }) => [
      { value: name },
      ...Object.keys(map).map((key) => ({ value: `${name}[${key}]` })),
    ]),
  );
}
