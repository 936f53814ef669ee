/** What `kustomize edit` does. */
export { editKustomizationFile } from "./edit-file.ts";
export { EditError } from "./read-edit.ts";
