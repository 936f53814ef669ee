import { goRegexp } from "@capstan/formats/re2";
import { followLinks, joinWithin, parentOf, type RenderContext, walk } from "@capstan/plugin-kit";

const maxFiles = 1_000;
/** In time in proportion to the text, which a repository chooses. */
const named = goRegexp("[\\w.@/-]+\\.ya?ml(\\.gotmpl)?");

/** The texts of the directory's helmfiles and of the files that they name: bases, values, helmfiles elsewhere. */
export async function readHelmfiles({ tree, path }: RenderContext): Promise<string[]> {
  const isHelmfile = (file: string) => /helmfile[^/]*(\/[^/]+)?$/.test(file);
  const entries = await walk(tree, path);
  const files = new Set(entries.map((entry) => entry.path).filter(isHelmfile));
  const texts: string[] = [];
  for (const file of files) {
    const entry = await followLinks(tree, file);
    if (entry?.kind !== "file" && entry?.kind !== "executable") continue;
    const text = (await tree.read(entry)).toString();
    texts.push(text);
    for (const { parts } of named.findAll(text)) {
      const [name = ""] = parts;
      const inside = joinWithin(parentOf(file), name);
      if (inside !== undefined && files.size < maxFiles) files.add(inside);
    }
  }
  return texts;
}
