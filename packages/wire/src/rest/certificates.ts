import { list, object, optional, type Static, string } from "@capstan/model/shapes";
import type { ListOf } from "./answers.ts";
import { route } from "./route.ts";

const certificateSchema = object({
  /** Host; of ssh also `[host]:port`. */
  serverName: optional(string()),
  /** `https` or `ssh`. */
  certType: optional(string()),
  /** Of ssh the type of the key; of https its algorithm, in answers alone. */
  certSubType: optional(string()),
  /** In base64: PEM, or of ssh the key as known_hosts has it. */
  certData: optional(string()),
  /** In answers: the subject, or the key's fingerprint. */
  certInfo: optional(string()),
});
export type RepositoryCertificate = Static<typeof certificateSchema>;
export type RepositoryCertificateList = ListOf<RepositoryCertificate>;

const certificates = "/api/v1/certificates";
const selection = { hostNamePattern: "string", certType: "string", certSubType: "string" } as const;

export const certificateRoutes = {
  listCertificates: route("GET", certificates, selection)
    .rpc("certificate.CertificateService/ListCertificates")
    .answers<RepositoryCertificateList>(),
  createCertificates: route("POST", certificates, { upsert: "boolean" })
    .rpc("certificate.CertificateService/CreateCertificate")
    .takes("certificates", object({ items: optional(list(certificateSchema)) }))
    .answers<RepositoryCertificateList>(),
  deleteCertificates: route("DELETE", certificates, selection)
    .rpc("certificate.CertificateService/DeleteCertificate")
    .answers<RepositoryCertificateList>(),
} as const;
