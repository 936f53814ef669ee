import { textAt, type YamlNode } from "@capstan/krm-yaml";

/** What to make of an image; empty parts stay as they are. */
export interface ImageChange {
  name: string;
  newName: string;
  newTag: string;
  digest: string;
}

export function readImageChange(node: YamlNode | undefined): ImageChange {
  return {
    name: textAt(node, "name"),
    newName: textAt(node, "newName"),
    newTag: textAt(node, "newTag"),
    digest: textAt(node, "digest"),
  };
}

/** The changed reference; nothing where it is another image (kustomize api/image IsImageMatched, Split). */
export function changeImage(
  image: string,
  { name, newName, newTag, digest }: ImageChange,
): string | undefined {
  const own = /^(.*?)(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$/s.exec(image);
  if (!own || own[1] !== name) return undefined;
  const suffix = digest !== "" ? `@${digest}` : newTag !== "" ? `:${newTag}` : (own[3] ?? own[2] ?? "");
  return `${newName || name}${suffix}`;
}
