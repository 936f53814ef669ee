export { type BaseImage, copyBaseImages } from "./base-images.ts";
export { addImage, addLayer, type Descriptor, finishLayout, openFolders } from "./image-layout.ts";
export { isOciUrl, type OciImage, OciRepository } from "./oci-repository.ts";
export type { OciManifest } from "./read-manifest.ts";
export type { RegistryQuestion } from "./registry-access.ts";
export { RegistryPace } from "./registry-pace.ts";
