/**
 * The image and its Kubernetes manifests, tested from outside.
 */
package io.fdtable.container;
