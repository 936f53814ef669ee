import type { ExprMap, Value } from "@capstan/expr";
import type { RevisionMetadata } from "@capstan/wire";
import { type AppDetails, type RepoFacts, textFunctions } from "./repo-facts.ts";
import { durations, layouts, type Moment, momentAt, parseMoment } from "./time-names.ts";

type Library = typeof import("@capstan/expr");

interface Sources {
  readonly facts: RepoFacts;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** `time`, `strings` and `repo` as expressions call them (util/notification/expression). */
export function expressionNames(library: Library, { facts, nowMs }: Sources): Record<string, Value> {
  const { ExprFunction, ExprDuration, ExprTime } = library;
  const text = (value: Value | undefined): string => {
    if (typeof value === "string") return value;
    throw new Error(`${value === undefined ? "an argument is missing" : "an argument is no text"}`);
  };
  const timeOf = ({ nanoseconds, zone }: Moment) => new ExprTime(nanoseconds, zone);
  const functions = (all: (typeof textFunctions)["repo"]) =>
    Object.entries(all).map(([name, play]): [string, Value] => [
      name,
      new ExprFunction((values) => play(values.map(text))),
    ]);
  const map = (entries: Iterable<readonly [string, Value]>): ExprMap => new library.ExprMap(new Map(entries));
  return {
    time: map([
      ["Parse", new ExprFunction(([value]) => timeOf(parseMoment(text(value))))],
      ["Now", new ExprFunction(() => timeOf(momentAt(nowMs())))],
      ...Object.entries(durations).map(([name, length]): [string, Value] => [name, new ExprDuration(length)]),
      ...Object.entries(layouts),
    ]),
    strings: map(functions(textFunctions.strings)),
    repo: map([
      ...functions(textFunctions.repo),
      [
        "GetCommitMetadata",
        new ExprFunction(([revision]) => commitOf(library, facts.commit(text(revision)))),
      ],
      ["GetAppDetails", new ExprFunction(() => detailsOf(library, facts.details()))],
    ]),
  };
}

function commitOf(library: Library, { message, author, date, tags }: RevisionMetadata): Value {
  const { nanoseconds, zone } = momentAt(Date.parse(date));
  return library.toValue({
    Message: message,
    Author: author,
    Date: new library.ExprTime(nanoseconds, zone),
    Tags: tags,
  });
}

function detailsOf(library: Library, details: AppDetails): Value {
  const { ExprFunction, toValue } = library;
  const { sourceType, helm, kustomize } = details.description;
  const named = (of: readonly { readonly name: string }[], field: "value" | "path") =>
    new ExprFunction(([name]) => {
      const found: object = of.find((one) => one.name === name) ?? {};
      return String(Reflect.get(found, field) ?? "");
    });
  return toValue({
    Type: sourceType,
    Helm: helm
      ? {
          ...helmFields(details),
          GetParameterValueByName: named([...details.overrides, ...helm.parameters], "value"),
          GetFileParameterPathByName: named(details.fileParameters, "path"),
        }
      : null,
    Kustomize: kustomize ? { Images: kustomize.images } : null,
    Directory: sourceType === "Directory" ? {} : null,
  });
}

/** CustomHelmAppSpec of util/notification/expression/shared. */
export function helmFields({ description: { helm }, overrides, fileParameters }: AppDetails) {
  return {
    HelmAppSpec: {
      Name: "",
      ValueFiles: helm?.valueFiles ?? [],
      Parameters: (helm?.parameters ?? []).map(({ name, value }) => ({ Name: name, Value: value })),
      Values: helm?.values ?? "",
      FileParameters: fileParameters.map(({ name, path }) => ({ Name: name, Path: path })),
    },
    HelmParameterOverrides: overrides.map(({ name, value }) => ({ Name: name, Value: value })),
  };
}
