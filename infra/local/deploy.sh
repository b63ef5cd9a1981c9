#!/usr/bin/env bash
# Deploys the stack into an AWS emulator on this machine, with SAM and then with the CDK, and asks each for a tile.
#
#   deploy.sh PACKAGE        the package holds a function for this machine's own processor
#
# The emulator listens on every address, so all of it runs in a network namespace of its own, where only loopback
# exists; the namespace and all processes in it end with this script. The credentials are the emulator's, not secrets.
set -euo pipefail

package=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if [ "${EDGETILE_NAMESPACE:-}" != own ]; then
  own=(unshare --net --pid --fork --kill-child --mount-proc)
  [ "$(id -u)" = 0 ] || own+=(--map-root-user)
  "${own[@]}" true 2>/dev/null || { echo "this machine allows no network namespace of one's own: run as root, or allow user namespaces"; exit 1; }
  EDGETILE_NAMESPACE=own exec "${own[@]}" "$0" "$package"
fi
ip link set lo up

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work AWS_ENDPOINT_URL=http://127.0.0.1:4566 AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_EC2_METADATA_DISABLED=true SAM_CLI_TELEMETRY=0
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_LAMBDA_RUNTIME_API
cd "$root"

S3_DATA_DIR=$work/s3 TMPDIR=$work target/venv-local/bin/ministack >"$work/emulator.log" 2>&1 &
for _ in $(seq 100); do
  curl -fsS -o "$work/health" "$AWS_ENDPOINT_URL/_ministack/health" 2>/dev/null && break
  sleep 0.2
done
[ -e "$work/health" ] || { echo "the emulator did not start:"; tail -20 "$work/emulator.log"; exit 1; }

echo "with SAM:"
target/venv/bin/python "$here/overlay.py" template.yaml "$package" >"$work/template.json"
target/venv/bin/sam deploy --template-file "$work/template.json" --stack-name with-sam --resolve-s3 --no-progressbar \
  --capabilities CAPABILITY_IAM --no-confirm-changeset --parameter-overrides Architecture=x86_64 GradualRollout=false >"$work/sam.log" 2>&1 \
  || { tail -40 "$work/sam.log"; tail -40 "$work/emulator.log"; exit 1; }
target/venv/bin/python infra/smoke.py with-sam --via "$AWS_ENDPOINT_URL" --no-cache

echo "with the CDK:"
cd infra
{
  npx cdk synth --no-lookups --quiet --output "$work/cdk.out" -c stack=with-cdk -c gradualRollout=false -c architecture=x86_64 -c "package=$package"
  ../target/venv/bin/python local/overlay.py "$work/cdk.out/with-cdk.template.json" >"$work/lowered.json"
  mv "$work/lowered.json" "$work/cdk.out/with-cdk.template.json"
  npx cdk bootstrap --app "$work/cdk.out" aws://000000000000/us-east-1
  npx cdk deploy --app "$work/cdk.out" --require-approval never
} >"$work/cdk.log" 2>&1 || { tail -40 "$work/cdk.log"; tail -40 "$work/emulator.log"; exit 1; }
cd ..
target/venv/bin/python infra/smoke.py with-cdk --via "$AWS_ENDPOINT_URL" --no-cache
