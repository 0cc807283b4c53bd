import { KubeClient } from '../../controller/kube/client.js';
import { kubeconfigConnection } from '../../controller/kube/kubeconfig.js';
import { IoError, messageOf } from '../exit-codes.js';

/** Which cluster a verb talks to; without either the one that kubectl would. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A client of the cluster; throws {@link IoError} when there is no usable kubeconfig. */
export function connect({ kubeconfig, context }: ClusterFlags): KubeClient {
  try {
    return new KubeClient(kubeconfigConnection(kubeconfig, context), { userAgent: 'hermes-gitops' });
  } catch (error) {
    throw new IoError(`cannot read the kubeconfig: ${messageOf(error)}`, { cause: error });
  }
}
