import { base, owner } from "./applications.ts";
import { route } from "./route.ts";

/** What becomes of one image of an application, and why. */
export interface ImageUpdate {
  /** As annotations name it. */
  alias: string;
  image: string;
  /** The version that runs; empty: none is known. */
  from: string;
  /** That it gets, or has; empty: none was found. */
  to: string;
  does: "update" | "keep" | "skip";
  because: string;
  /** Every other tag of the registry. */
  passedOver: { tag: string; because: string }[];
}

export interface ImageUpdates {
  /** `annotations`, or `ImageUpdater NAMESPACE/NAME`; empty: nobody names images. */
  by: string;
  images: ImageUpdate[];
  /** What of the annotations and of registries.conf cannot be followed. */
  problems: string[];
}

/** Capstan's own. */
export const imageUpdateRoutes = {
  planImageUpdates: route("GET", `${base}/{name}/image-updates`, owner).answers<ImageUpdates>(),
  /** Has them done at once; the answer is what that is. */
  updateImages: route("POST", `${base}/{name}/image-updates`, owner).answers<ImageUpdates>(),
} as const;
