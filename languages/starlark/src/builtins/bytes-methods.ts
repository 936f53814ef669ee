import type { StarBytes } from "../values/bytes.ts";
import { Elements } from "./elements.ts";
import type { Methods } from "./methods.ts";

export const bytesMethods: Methods<StarBytes> = {
  elems(self, args) {
    args.take(0);
    return new Elements("bytes.elems", self);
  },
};
