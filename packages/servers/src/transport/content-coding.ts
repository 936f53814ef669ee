export type ContentCoding = "br" | "gzip";

/** What a caller takes that we speak, the denser first (RFC 9110 §12.5.3); undefined: as it is. */
export function acceptedCoding(header: string | readonly string[] | undefined): ContentCoding | undefined {
  const weights = new Map<string, number>();
  for (const part of [header ?? ""].flat().join(",").split(",", mostCodings)) {
    const [name = "", ...parameters] = part.split(";");
    const weight = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1]).find(Boolean);
    weights.set(name.trim().toLowerCase(), weight === undefined ? 1 : Number(weight));
  }
  const weightOf = (coding: ContentCoding): number => weights.get(coding) ?? weights.get("*") ?? 0;
  const [br, gzip] = [weightOf("br"), weightOf("gzip")];
  if (br > 0 && br >= gzip) return "br";
  return gzip > 0 ? "gzip" : undefined;
}

const mostCodings = 20;

/** Whether what a caller has is what there is, or as good as that (RFC 9110 §13.1.2: compared weakly). */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const bare = (text: string): string => text.trim().replace(/^W\//, "");
  return header.split(",", mostCodings).some((one) => bare(one) === bare(tag));
}
