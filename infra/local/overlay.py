"""Prints a template as the local emulator can deploy it.

    overlay.py TEMPLATE [PACKAGE]     template.yaml with its package, or a template that the CDK made

The emulator has no CodeDeploy and no metric math, and does not sign CloudFront's requests to a function URL: so the
gradual rollout and two alarms go, and the URL is open. Nothing else changes, and none of it is a parameter of the
stack: nobody shall deploy an open URL by accident.
"""

import json
import os
import sys

from samtranslator.yaml_helper import yaml_parse


def lowered(resource, package):
    """Changes one resource for the emulator; false when it has to go."""
    properties = resource.get("Properties", {})
    if resource["Type"] == "AWS::Serverless::Function":
        properties["CodeUri"] = os.path.abspath(package)
        properties["FunctionUrlConfig"]["AuthType"] = "NONE"
        del properties["DeploymentPreference"]
    if resource["Type"] == "AWS::Lambda::Url":
        properties["AuthType"] = "NONE"
    return not (resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in properties)


def main():
    template, package = (sys.argv[1:] + [None])[:2]
    with open(template, encoding="utf-8") as file:
        stack = yaml_parse(file)
    stack["Resources"] = {name: one for name, one in stack["Resources"].items() if lowered(one, package)}
    json.dump(stack, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
