/**
 * A text as part of an address, of what `normalizeName` leaves: letters, digits and single dashes, cut at a dash where
 * that is wanted (gosimple/slug Make with MaxLength).
 */
export function slugOf(text: string, maxLength: number, cutsAtDash: boolean): string {
  const cut = cutsAtDash || text.length < maxLength ? text : text.slice(0, Math.max(maxLength, 0));
  const slug = cut
    .replace(/[^a-zA-Z0-9_-]/g, "-")
    .replace(/-+/g, "-")
    .replace(/^[-_]+/, "")
    .replace(/[-_]+$/, "");
  if (maxLength <= 0 || !cutsAtDash || slug.length <= maxLength) return slug;
  const dash = slug.lastIndexOf("-", maxLength);
  return slug.slice(0, dash < 0 ? maxLength : dash);
}

const maxBranchSlug = 50;
/** What letters without marks become, of those that Unicode does not take apart (gosimple/unidecode). */
const letters: Readonly<Record<string, string>> = {
  "&": "and",
  "@": "at",
  _: "-",
  "'": "",
  '"': "",
  "’": "",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ß: "ss",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

/** A branch's name as part of an address (gosimple/slug Make, with the settings of Argo CD's PullRequestGenerator). */
export function branchSlug(branch: string): string {
  const plain = branch
    .trim()
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  const text = Array.from(plain, (letter) => letters[letter] ?? letter).join("");
  return slugOf(text, maxBranchSlug, true);
}
