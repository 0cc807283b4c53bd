import { KubeClient } from '../../controller/kube/client.js';
import { describeError } from '../../controller/kube/errors.js';
import { kubeconfigConnection } from '../../controller/kube/kubeconfig.js';
import { IoError, messageOf } from '../exit-codes.js';

/** Which cluster a verb talks to; without either the one that kubectl would. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A client of the cluster; throws {@link IoError} when there is no usable kubeconfig. */
function connect({ kubeconfig, context }: ClusterFlags): KubeClient {
  try {
    return new KubeClient(kubeconfigConnection(kubeconfig, context), { userAgent: 'hermes-gitops' });
  } catch (error) {
    throw new IoError(`cannot read the kubeconfig: ${messageOf(error)}`, { cause: error });
  }
}

/** Works with a client of the cluster and closes it; whatever fails there is an {@link IoError}. */
export async function withCluster<T>(flags: ClusterFlags, work: (client: KubeClient) => Promise<T>): Promise<T> {
  const client = connect(flags);
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof IoError) throw error;
    throw new IoError(`cluster: ${describeError(error)}`, { cause: error });
  } finally {
    client.close();
  }
}
