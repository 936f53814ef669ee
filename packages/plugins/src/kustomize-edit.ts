/** What `kustomize edit` does. */
export { editKustomizationFile } from "./kustomize/edit-file.ts";
export { EditError } from "./kustomize/read-edit.ts";
