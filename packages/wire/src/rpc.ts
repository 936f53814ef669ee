/** A door of its own: only who speaks gRPC loads the messages. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { AccountService } from "./generated/argocd/account_pb.ts";
import { ApplicationService } from "./generated/argocd/application_pb.ts";
import { ApplicationSetService } from "./generated/argocd/applicationset_pb.ts";
import { CertificateService } from "./generated/argocd/certificate_pb.ts";
import { ClusterService, SettingsService } from "./generated/argocd/cluster_pb.ts";
import { GPGKeyService } from "./generated/argocd/gpgkey_pb.ts";
import { NotificationService } from "./generated/argocd/notification_pb.ts";
import { ProjectService } from "./generated/argocd/project_pb.ts";
import { RepoCredsService } from "./generated/argocd/repocreds_pb.ts";
import { RepositoryService } from "./generated/argocd/repository_service_pb.ts";
import { SessionService } from "./generated/argocd/session_pb.ts";
import { VersionService } from "./generated/argocd/version_pb.ts";

export { jsonOfMessage } from "./rpc/json-of-message.ts";
export { firstUnknown, keepUnsaid } from "./rpc/keep-unsaid.ts";
export { messageOfJson } from "./rpc/message-of-json.ts";

/** Those of Argo CD's API server. */
const apiServices: readonly DescService[] = [
  AccountService,
  ApplicationService,
  ApplicationSetService,
  CertificateService,
  ClusterService,
  GPGKeyService,
  NotificationService,
  ProjectService,
  RepoCredsService,
  RepositoryService,
  SessionService,
  SettingsService,
  VersionService,
];

/** Methods of Argo CD's API server, by `package.Service/Method`. */
export const apiMethods: ReadonlyMap<string, DescMethod> = new Map(
  apiServices.flatMap(({ methods }) =>
    methods.map((method) => [`${method.parent.typeName}/${method.name}`, method]),
  ),
);
