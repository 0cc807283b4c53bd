// Command go-reader reads YAML as kubectl, Flux and Argo CD do. It takes a JSON list of YAML documents on the standard
// input and writes a JSON list of what each of them means, or of the error that it is.
package main

import (
	"encoding/json"
	"log"
	"os"

	"sigs.k8s.io/yaml"
)

type reading struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func main() {
	var documents []string
	if err := json.NewDecoder(os.Stdin).Decode(&documents); err != nil {
		log.Fatal(err)
	}
	readings := make([]reading, len(documents))
	for i, document := range documents {
		value, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			readings[i].Error = err.Error()
			continue
		}
		readings[i].Value = value
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(readings); err != nil {
		log.Fatal(err)
	}
}
