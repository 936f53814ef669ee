import { ApiError } from "../types.ts";

/** The form in which objects are answered. */
export interface Representation {
  as: "Object" | "Table" | "PartialObjectMetadata";
  /** meta.k8s.io's version, for Table and PartialObjectMetadata. */
  version: string;
  /** Whether a list was asked for in so many words: …MetadataList. */
  list: boolean;
  media: "application/json" | "application/yaml";
}

interface AcceptClause {
  media: string;
  parameters: ReadonlyMap<string, string>;
  quality: number;
}

export function parseAccept(header: string | undefined): AcceptClause[] {
  if (!header) return [{ media: "*/*", parameters: new Map(), quality: 1 }];
  const clauses = header.split(",").map((clause) => {
    const [media = "", ...rest] = clause.split(";").map((part) => part.trim());
    const parameters = new Map(
      rest.map((part) => {
        const equals = part.indexOf("=");
        return [part.slice(0, equals), part.slice(equals + 1)];
      }),
    );
    return { media: media.toLowerCase(), parameters, quality: Number(parameters.get("q") ?? "1") };
  });
  return clauses.filter(({ quality }) => quality > 0).sort((left, right) => right.quality - left.quality);
}

const kinds = new Map<string | undefined, Pick<Representation, "as" | "list">>([
  [undefined, { as: "Object", list: false }],
  ["Table", { as: "Table", list: false }],
  ["PartialObjectMetadata", { as: "PartialObjectMetadata", list: false }],
  ["PartialObjectMetadataList", { as: "PartialObjectMetadata", list: true }],
]);

/** The first form among those asked for that is served. Protobuf is not, so that clients fall back to JSON. */
export function negotiate(accept: string | undefined, isCustom = false): Representation {
  for (const { media, parameters } of parseAccept(accept)) {
    const kind = kinds.get(parameters.get("as"));
    const version = parameters.get("v") ?? "v1";
    const plain = parameters.get("as") === undefined;
    const known =
      plain || (parameters.get("g") === "meta.k8s.io" && (version === "v1" || version === "v1beta1"));
    if (kind === undefined || !known) continue;
    if (media === "application/json" || media === "*/*" || media === "application/*")
      return { ...kind, version, media: "application/json" };
    if (media === "application/yaml" && plain) return { ...kind, version, media };
  }
  throw notAcceptable(isCustom);
}

export function notAcceptable(isCustom = false): ApiError {
  const all = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
  if (isCustom)
    return new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${all}`);
  const message = `406: Not Acceptable

Available representations: ${all}`;
  return new ApiError(406, "NotAcceptable", message, {});
}
