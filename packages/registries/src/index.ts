export { type BaseImage, copyBaseImages } from "./base-images.ts";
export { addImage, addLayer, type Descriptor, finishLayout, openFolders } from "./image-layout.ts";
export { isOciUrl, type OciBuild, type OciImage, OciRepository, ociAddress } from "./oci-repository.ts";
export type { OciManifest } from "./read-manifest.ts";
export { isRealmOf } from "./realm.ts";
export type { RegistryAccess, RegistryAnswer, RegistryQuestion } from "./registry-access.ts";
export { RegistryHeld, RegistryPace } from "./registry-pace.ts";
