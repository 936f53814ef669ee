export { compileZglob } from "./glob/zglob.ts";
export { type GoMatch, type GoRegexp, GoRegexpError, goRegexp, quoteRegexp, tryRegexp } from "./regexp.ts";
