import { isRecord } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import type { DeepLink, DeepLinks } from "./settings.ts";

/** Of one key: each is played for every object that is shown. */
const [maxLinks, maxCharacters] = [100, 10_000];

/** Links that the page shows beside objects (util/settings GetDeepLinks); what is none is left out, and said. */
export function readLinks(reader: ValueReader): DeepLinks {
  return {
    application: listOf(reader, "application.links"),
    project: listOf(reader, "project.links"),
    resource: listOf(reader, "resource.links"),
  };
}

function listOf(reader: ValueReader, key: string): DeepLink[] {
  const text = reader.text(key);
  if (text === undefined) return [];
  let read: unknown;
  try {
    read = parseYaml(text, { file: key });
  } catch (error) {
    reader.problem(key, `is no YAML: ${messageOf(error)}`);
    return [];
  }
  if (!Array.isArray(read)) {
    reader.problem(key, "is no list of links, each with title and url");
    return [];
  }
  if (read.length > maxLinks)
    reader.problem(key, `has more than ${maxLinks} links: the others are not shown`);
  return read.slice(0, maxLinks).flatMap((one, at) => {
    const link = readLink(one);
    if (typeof link !== "string") return [link];
    reader.problem(key, `link ${at + 1} ${link}: it is not shown`);
    return [];
  });
}

const fields = ["title", "url", "description", "icon.class", "if"] as const;

function readLink(value: unknown): DeepLink | string {
  if (!isRecord(value)) return "is no map";
  const { title, url, description, "icon.class": iconClass, if: condition } = value;
  const wrong = fields.find((field) => value[field] !== undefined && typeof value[field] !== "string");
  if (wrong !== undefined) return `has a ${wrong} that is no text`;
  if (typeof title !== "string" || typeof url !== "string") return "has no title or no url";
  if (fields.some((field) => `${value[field] ?? ""}`.length > maxCharacters))
    return `has more than ${maxCharacters} characters in a field`;
  const optional = { description, iconClass, condition };
  const given = Object.entries(optional).filter(([, one]) => typeof one === "string");
  return { title, url, ...Object.fromEntries(given) };
}
