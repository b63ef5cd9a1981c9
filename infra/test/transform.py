"""Prints template.yaml as JSON, as written and as the SAM transform makes it for given parameter values.

    transform.py TEMPLATE ['{"GradualRollout": "false"}']  ->  {"source": ..., "transformed": ...}

The transform is AWS's own (aws-sam-translator, which comes with the SAM CLI), run without an account: managed
policies, the one thing it would ask AWS for, are not used by the template.
"""

import copy
import json
import sys

from samtranslator.model.exceptions import InvalidDocumentException
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    """Stands in for the loader that asks IAM for its managed policies."""

    def load(self):
        return {}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        source = yaml_parse(file)
    values = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    # Local paths become S3 locations when `sam deploy` packages; the transform wants to see one.
    packaged = copy.deepcopy(source)
    for resource in packaged["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://bucket/key"
    try:
        transformed = transform(packaged, values, NoManagedPolicies())
    except InvalidDocumentException as error:
        sys.exit("\n".join(cause.message for cause in error.causes))
    json.dump({"source": source, "transformed": transformed}, sys.stdout)


if __name__ == "__main__":
    main()
