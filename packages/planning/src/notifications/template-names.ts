import { isRecord } from "@capstan/formats";
import type { Value } from "@capstan/go-template";
import type { RevisionMetadata } from "@capstan/wire";
import { helmFields } from "./expression-names.ts";
import { type AppDetails, type RepoFacts, textFunctions, textParameters } from "./repo-facts.ts";
import { durations, layouts, type Moment, momentAt, parseMoment } from "./time-names.ts";

type Library = typeof import("@capstan/go-template");

interface Sources {
  readonly facts: RepoFacts;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** `time`, `strings` and `repo` as templates `call` them (util/notification/expression). */
export function templateNames(library: Library, { facts, nowMs }: Sources): Record<string, Value> {
  const { GoCallable, GoInt, GoMap, GoTime } = library;
  const timeOf = ({ nanoseconds, zone }: Moment) => new GoTime(nanoseconds, zone);
  const functions = (all: (typeof textFunctions)["repo"]) =>
    Object.entries(all).map(([name, play]): [string, Value] => [
      name,
      new GoCallable(textParameters[name] ?? 1, play),
    ]);
  return {
    time: new GoMap([
      ["Parse", new GoCallable(1, ([text = ""]) => timeOf(parseMoment(text)))],
      ["Now", new GoCallable(0, () => timeOf(momentAt(nowMs())))],
      ...Object.entries(durations).map(([name, length]): [string, Value] => [
        name,
        new GoInt(length, "time.Duration"),
      ]),
      ...Object.entries(layouts),
    ]),
    strings: new GoMap(functions(textFunctions.strings)),
    repo: new GoMap([
      ...functions(textFunctions.repo),
      [
        "GetCommitMetadata",
        new GoCallable(1, ([revision = ""]) => commitOf(library, facts.commit(revision))),
      ],
      ["GetAppDetails", new GoCallable(0, () => detailsOf(library, facts.details()))],
    ]),
  };
}

function commitOf(
  { GoList, GoStruct, GoTime }: Library,
  { message, author, date, tags }: RevisionMetadata,
): Value {
  const { nanoseconds, zone } = momentAt(Date.parse(date));
  return new GoStruct("shared.CommitMetadata", {
    Message: message,
    Author: author,
    Date: new GoTime(nanoseconds, zone),
    Tags: new GoList(tags, "string"),
  });
}

function detailsOf(library: Library, details: AppDetails): Value {
  const { GoCallable, GoStruct } = library;
  const { sourceType, helm, kustomize } = details.description;
  const named = (of: readonly { readonly name: string }[], field: "value" | "path") =>
    new GoCallable(1, ([name]) => {
      const found: object = of.find((one) => one.name === name) ?? {};
      return String(Reflect.get(found, field) ?? "");
    });
  const { HelmAppSpec, HelmParameterOverrides } = helmFields(details);
  const helmValue = () =>
    new GoStruct(
      "*shared.CustomHelmAppSpec",
      {
        HelmAppSpec: structOf(library, "apiclient.HelmAppSpec", HelmAppSpec),
        HelmParameterOverrides: structOf(library, "[]v1alpha1.HelmParameter", HelmParameterOverrides),
      },
      {
        GetParameterValueByName: named([...details.overrides, ...(helm?.parameters ?? [])], "value"),
        GetFileParameterPathByName: named(details.fileParameters, "path"),
      },
    );
  return new GoStruct("shared.AppDetail", {
    Type: sourceType,
    Helm: helm ? helmValue() : null,
    Kustomize: kustomize
      ? structOf(library, "*apiclient.KustomizeAppSpec", { Images: kustomize.images })
      : null,
    Directory: sourceType === "Directory" ? new GoStruct("*apiclient.DirectoryAppSpec", {}) : null,
  });
}

function structOf(library: Library, type: string, value: unknown): Value {
  if (Array.isArray(value))
    return new library.GoList(
      value.map((one) => structOf(library, type.replace("[]", ""), one)),
      type,
    );
  if (!isRecord(value)) return typeof value === "string" ? value : null;
  const fields = Object.entries(value).map(([name, one]): [string, Value] => [
    name,
    structOf(library, type, one),
  ]);
  return new library.GoStruct(type, Object.fromEntries(fields));
}

/**
 * An object as Kubernetes' unstructured holds it: whole numbers are int64, which templates compare with literals,
 * unlike the floats that they are elsewhere.
 */
export function unstructuredValue(library: Library, data: unknown): Value {
  if (typeof data === "number" && Number.isSafeInteger(data)) return new library.GoInt(data, "int64");
  if (typeof data === "bigint") return new library.GoInt(data, "int64");
  if (Array.isArray(data)) return new library.GoList(data.map((one) => unstructuredValue(library, one)));
  if (!isRecord(data)) return library.toValue(data);
  return new library.GoMap(
    Object.entries(data).map(([key, one]): [string, Value] => [key, unstructuredValue(library, one)]),
  );
}
