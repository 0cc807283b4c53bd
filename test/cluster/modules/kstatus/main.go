// Command kstatus reads a JSON list of objects and prints what Flux takes each of them for.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type answer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	var objects []map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		log.Fatal(err)
	}
	answers := make([]answer, 0, len(objects))
	for _, object := range objects {
		result, err := status.Compute(&unstructured.Unstructured{Object: wholeNumbers(object).(map[string]any)})
		if err != nil {
			log.Fatal(err)
		}
		answers = append(answers, answer{Status: string(result.Status), Message: result.Message})
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

// wholeNumbers turns every number into an int64, as the decoder of Kubernetes does with what has no fraction.
func wholeNumbers(value any) any {
	switch typed := value.(type) {
	case float64:
		return int64(typed)
	case map[string]any:
		for key, inner := range typed {
			typed[key] = wholeNumbers(inner)
		}
	case []any:
		for index, inner := range typed {
			typed[index] = wholeNumbers(inner)
		}
	}
	return value
}
