/** What `kustomize edit` does. */
export { editKustomizationFile } from "./edit-file.ts";
