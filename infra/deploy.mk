# Building the package, checking and deploying the stack; the root Makefile includes it and sets `tools`. What it
# installs goes under target/ and infra/node_modules.
#
#   STACK=edgetile  ARCH=arm64|x86_64  PARAMS="Buckets=a,b DataRoot=s3://a"  (infra/README.md lists them)

STACK ?= edgetile
ARCH ?= arm64
PARAMS ?=
EDGE_PORT ?= 8088

infra_venv := target/venv
infra_local := target/venv-local
infra_sam := SAM_CLI_TELEMETRY=0 $(infra_venv)/bin/sam
infra_region := AWS_DEFAULT_REGION=$${AWS_REGION:-$${AWS_DEFAULT_REGION:-us-east-1}}

.PHONY: infra-tools edge-text edge package test-edge deploy deploy-guided deploy-cdk deploy-local smoke destroy infra-account

# ---------------------------------------------------------------- tools
$(infra_venv)/sam.stamp: infra/requirements/sam.txt
	@command -v python3 >/dev/null || { echo "python3 is missing: apt-get install python3 python3-venv"; exit 1; }
	python3 -m venv $(infra_venv)
	$(infra_venv)/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@

$(infra_local)/local.stamp: infra/requirements/local.txt
	@command -v python3 >/dev/null || { echo "python3 is missing: apt-get install python3 python3-venv"; exit 1; }
	python3 -m venv $(infra_local)
	$(infra_local)/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@

infra/node_modules/.stamp: infra/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20 or later"; exit 1; }
	cd infra && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

infra-tools: $(infra_venv)/sam.stamp infra/node_modules/.stamp

# ---------------------------------------------------------------- checks
edge-text: ## copy infra/edge/normalize.js and infra/dashboard.json into template.yaml
	python3 infra/edge_text.py template.yaml

test-edge: infra-tools $(infra_local)/local.stamp target/local/edgetile.zip ## the stack, the edge function, the edge on this machine
	@{ command -v njs && command -v nginx && [ -e /usr/lib/nginx/modules/ngx_http_js_module.so ]; } >/dev/null \
	  || { echo "njs or nginx is missing: apt-get install njs nginx libnginx-mod-http-js"; exit 1; }
	$(infra_region) $(infra_sam) validate --lint
	$(infra_venv)/bin/cfn-lint template.yaml --regions us-east-1 eu-central-1
	cd infra && npm run --silent check
	cd infra && npm test --silent
	cd infra && npm run --silent test:local
	infra/local/deploy.sh target/local/edgetile.zip
	python3 -m unittest discover infra/cost

# ---------------------------------------------------------------- the edge on this machine
target/local/edgetile.zip: target/debug/edgetile infra/package.py
	@python3 infra/package.py $< $@

.PHONY: target/debug/edgetile
target/debug/edgetile: $(tools)/native.stamp viewer
	cargo build --locked -p edgetile

edge: target/debug/edgetile infra-tools $(infra_local)/local.stamp ## the whole edge on this machine, at EDGE_PORT=8088
	cd infra && npx tsx local/edge.ts ../target/debug/edgetile $(EDGE_PORT)

deploy-local: target/local/edgetile.zip infra-tools $(infra_local)/local.stamp ## deploy into an AWS emulator, ask it for tiles, end it
	infra/local/deploy.sh $<

# ---------------------------------------------------------------- the package
package: $(tools)/lambda.stamp viewer ## build target/package/edgetile-ARCH.zip, ARCH=arm64 (default) or x86_64
	PATH="$(tools)/bin:$$PATH" cargo lambda build --release --locked -p edgetile --bin edgetile \
	  $(if $(filter arm64,$(ARCH)),--arm64,--x86-64) --lambda-dir target/lambda/$(ARCH)
	@python3 infra/package.py target/lambda/$(ARCH)/edgetile/bootstrap target/package/edgetile-$(ARCH).zip
	@cp target/package/edgetile-$(ARCH).zip target/package/edgetile.zip

# ---------------------------------------------------------------- an AWS account
infra-account: infra-tools
	@$(infra_venv)/bin/python -c 'import boto3; print("account", boto3.client("sts").get_caller_identity()["Account"], "in", boto3.session.Session().region_name)' 2>/dev/null \
	  || { echo "no AWS credentials or no region: set AWS_PROFILE (aws configure sso), or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"; exit 1; }

deploy: infra-account package ## build and deploy the stack, then ask it for a tile
	$(infra_sam) deploy --stack-name $(STACK) --parameter-overrides Architecture=$(ARCH) $(PARAMS)
	$(infra_venv)/bin/python infra/smoke.py $(STACK)

deploy-guided: infra-account package ## the same, asking for every parameter
	$(infra_sam) deploy --guided --stack-name $(STACK)

deploy-cdk: infra-account package ## the same stack with the CDK, PARAMS="-c buckets=a,b"
	cd infra && npx cdk deploy --no-lookups --require-approval never -c stack=$(STACK) -c architecture=$(ARCH) $(PARAMS)
	$(infra_venv)/bin/python infra/smoke.py $(STACK)

smoke: infra-tools ## ask the deployed stack what its users will ask; URL=https://… asks a host
	$(infra_venv)/bin/python infra/smoke.py $(if $(URL),--url $(URL),$(STACK))

destroy: infra-account ## delete the stack; a tile store's bucket stays
	$(infra_sam) delete --stack-name $(STACK) --no-prompts
